import type { OrganisationId } from "../kernel/ids.ts";
import type { ReadRow } from "../modules/external-periods/schema.ts";
import type { ColumnMapping } from "../platform/bank-statements/mapping.ts";
import type { StatementPreview } from "../platform/bank-statements/preview.ts";
import type { ReadStatement } from "../platform/bank-statements/read-statement.ts";
import type { WholeFileType } from "../platform/files.ts";

/**
 * How the columns of a statement are read: as the request says, or by the account's stored mapping if the statement has
 * its columns.
 */
export type StatementColumns = { readonly mapping: ColumnMapping | null } | { readonly kept: ColumnMapping };

/**
 * Reads uploaded files in a separate thread, so that requests do not wait; organisations take turns. Throws 400 for a
 * file that cannot be read, 429 or 503 when too many wait, 503 when a file takes more time or memory than is allowed.
 */
export interface FileReader {
  /** A bank's statement, as `readStatement` or `readAsKept` reads it. */
  statement(of: OrganisationId, bytes: Buffer, columns: StatementColumns): Promise<ReadStatement>;
  /** How a statement would be read, as `previewStatement` or `previewAsKept` shows it. */
  statementPreview(of: OrganisationId, bytes: Buffer, columns: StatementColumns): Promise<StatementPreview>;
  /** The rows of an import of external subscriptions, in parts, as `readImport` checks them. */
  subscriptionRows(of: OrganisationId, bytes: Buffer): Promise<Iterable<readonly ReadRow[]>>;
  /** The type of a proof of payment, null for any other file, and its hash in hexadecimal. */
  proof(of: OrganisationId, bytes: Buffer): Promise<{ readonly type: WholeFileType | null; readonly sha256: string }>;
}
