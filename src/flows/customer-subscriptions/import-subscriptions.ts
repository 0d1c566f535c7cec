import { assert } from "../../kernel/assert.ts";
import { ApiError, invalid } from "../../kernel/errors.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { bodyOfRow, type ImportColumn, importColumns } from "../../modules/recorded-periods/rules/import.ts";
import {
  ExternalSubscriptionCreate,
  type ExternalSubscriptionCreateBody,
} from "../../modules/recorded-periods/schema.ts";
import { type CsvRow, csvRows } from "../../platform/csv.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { planExternals, type RecordedExternal, recordExternals } from "./record-external.ts";

const ROWS_MAX = 20_000;
/** The number of rows in one transaction: other documents wait for that transaction to get their numbers. */
const TOGETHER = 200;

/** The outcome of a row, which a dry run only predicts. */
export interface ImportedRow {
  /** Of the file, from 1. */
  readonly line: number;
  readonly action: "create" | "exists" | "error";
  readonly externalReference: string | null;
  /** Null for an error, and for a record that a dry run would create. */
  readonly subscriptionId: string | null;
  /** The column with the fault, and the code and message of the refusal; null without one. */
  readonly field: string | null;
  readonly error: string | null;
  readonly message: string | null;
}

/** A row that was read and checked by itself. */
interface ReadRow {
  readonly line: number;
  readonly externalReference: string | null;
  readonly body: ExternalSubscriptionCreateBody | ApiError;
}

/**
 * Records the external subscriptions in a CSV file, each as a create would (interface 14.6). Refused rows are reported and do not affect the
 * others; a dry run writes nothing. Each 200 rows are one transaction, with its entry in the audit log, so an import that was interrupted can be
 * sent again. Throws 400 for a file that cannot be read as a whole, before anything is written.
 */
export async function importSubscriptions(
  { db }: Pick<Services, "db">,
  ctx: Ctx,
  bytes: Uint8Array,
  dryRun: boolean,
): Promise<readonly ImportedRow[]> {
  const rows = await readRows(bytes);
  const known = new Map<string, ShownSubscription>();
  const planned = new Set<string>();
  const report: ImportedRow[] = [];
  for (let at = 0; at < rows.length; at += TOGETHER) {
    const part = rows.slice(at, at + TOGETHER);
    const bodies = part.flatMap(({ body }) => (body instanceof ApiError ? [] : [body]));
    const outcomes = dryRun
      ? await db.read(ctx.organisation.id, (tx) => planExternals(tx, ctx, bodies, "import", known))
      : await db.transaction(ctx.organisation.id, (tx) => recordPart(tx, ctx, part, bodies));
    if (dryRun) for (const id of createdIn(outcomes)) planned.add(id);
    const next = outcomes.values();
    for (const row of part) {
      const outcome = row.body instanceof ApiError ? row.body : next.next().value;
      assert(outcome, "each row that was read has an outcome");
      report.push(reported(row, outcome, planned));
    }
  }
  return report;
}

const createdIn = (outcomes: readonly RecordedExternal[]) =>
  outcomes.flatMap((one) => (!(one instanceof ApiError) && one.action === "create" ? [one.subscription.id] : []));

async function recordPart(
  tx: Tx,
  ctx: Ctx,
  part: readonly ReadRow[],
  bodies: readonly ExternalSubscriptionCreateBody[],
): Promise<readonly RecordedExternal[]> {
  const outcomes = await recordExternals(tx, ctx, bodies, "import");
  const created = createdIn(outcomes);
  const action = "POST /customer-subscriptions/imports";
  const lines = { from: part[0]?.line, to: part.at(-1)?.line };
  if (created.length > 0) recordAudit(tx, { ...ctx, action, subject: null, before: null, after: { lines, created } });
  return outcomes;
}

async function readRows(bytes: Uint8Array): Promise<readonly ReadRow[]> {
  let columns: readonly ImportColumn[] | null = null;
  const rows: ReadRow[] = [];
  for await (const row of csvRows(bytes)) {
    if (columns === null) columns = importColumns(row.cells);
    else rows.push(readRow(columns, row));
    if (rows.length > ROWS_MAX) throw invalid(`A file has at most ${ROWS_MAX} rows. Send the others in another one.`);
  }
  if (columns === null) throw invalid("The file is empty. Its first row names the columns.");
  return rows;
}

function readRow(columns: readonly ImportColumn[], { line, cells }: CsvRow): ReadRow {
  const externalReference = cells[columns.indexOf("externalReference")] || null;
  if (cells.length > columns.length) {
    const message = `The row has ${cells.length} cells, and there are ${columns.length} columns.`;
    return { line, externalReference, body: invalid(message) };
  }
  const { success, data, error } = ExternalSubscriptionCreate.safeParse(bodyOfRow(columns, cells));
  if (success) return { line, externalReference, body: data };
  const issues = error.issues.map(({ path, code, message }) => ({ code, message, path: path.map(String) }));
  return { line, externalReference, body: invalid(issues[0]?.message ?? "", issues) };
}

/** `planned`: ids of records that a dry run would create; they do not exist, so they are left out. */
function reported(
  { line, externalReference }: ReadRow,
  outcome: RecordedExternal,
  planned: ReadonlySet<string>,
): ImportedRow {
  if (!(outcome instanceof ApiError)) {
    const { action, subscription } = outcome;
    const subscriptionId = planned.has(subscription.id) ? null : subscription.id;
    return { line, action, externalReference, subscriptionId, field: null, error: null, message: null };
  }
  const [issue] = outcome.issues ?? [];
  const field = issue ? issue.path.join(".") : null;
  const message = issue?.message ?? outcome.message;
  return { line, action: "error", externalReference, subscriptionId: null, field, error: outcome.code, message };
}
