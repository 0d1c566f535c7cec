import { calendarDay } from "../../kernel/time.ts";
import type { PreviewFormBody } from "../../modules/reconciliation/schema.ts";
import { mappingOf } from "../../modules/reconciliation/store/accounts.ts";
import type { StatementPreview } from "../../platform/bank-statements/preview.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { aheadWarnings } from "./days-ahead.ts";

/**
 * Previews how an import would read this file: with the given mapping, else the account's stored one, else by the
 * headings (interface 14.5). Stores nothing. Throws 400 for a file that is no statement.
 */
export async function previewImport(
  { db, fileReader }: Services,
  ctx: Ctx,
  bytes: Buffer,
  { account, mapping }: PreviewFormBody,
): Promise<StatementPreview> {
  const kept = mapping || !account ? null : await db.read(ctx.organisation.id, (tx) => mappingOf(tx, account));
  const columns = kept ? { kept } : { mapping: mapping ?? null };
  const preview = await fileReader.statementPreview(ctx.organisation.id, bytes, columns);
  return { ...preview, warnings: [...preview.warnings, ...aheadWarnings(preview, calendarDay(ctx.now))] };
}
