import { assert } from "../../kernel/assert.ts";
import { ApiError, invalid } from "../../kernel/errors.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { ExternalSubscriptionCreateBody, ReadRow } from "../../modules/external-periods/schema.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { type ExternalOutcome, planExternals, recordExternals } from "./record-external.ts";

/** The outcome of a row, which a dry run only predicts. */
export interface ImportedRow {
  /** The row's line in the file, from 1. */
  readonly line: number;
  readonly action: "create" | "exists" | "error";
  readonly externalReference: string | null;
  /** Null for an error, and for a record that a dry run would create. */
  readonly subscriptionId: string | null;
  /** The column that is wrong, and the code and message of the refusal; null without one. */
  readonly field: string | null;
  readonly error: string | null;
  readonly message: string | null;
}

/**
 * Records the external subscriptions in a CSV file, each as a create would (interface 14.6). Refused rows are reported
 * and do not affect the others; a dry run writes nothing. Each part of the file is one transaction, with its entry in
 * the audit log, so an interrupted import can be sent again. Throws 400 for a file that cannot be read as a whole,
 * before anything is written.
 */
export async function importSubscriptions(
  { db, fileReader }: Pick<Services, "db" | "fileReader">,
  ctx: Ctx,
  bytes: Buffer,
  dryRun: boolean,
): Promise<readonly ImportedRow[]> {
  const parts = await fileReader.subscriptionRows(ctx.organisation.id, bytes);
  const known = new Map<string, ShownSubscription>();
  const planned = new Set<string>();
  const report: ImportedRow[] = [];
  for (const part of parts) {
    const bodies = part.flatMap(({ body }) => ("refused" in body ? [] : [body]));
    const outcomes = dryRun
      ? await db.read(ctx.organisation.id, (tx) => planExternals(tx, ctx, bodies, "import", known))
      : await db.transaction(ctx.organisation.id, (tx) => recordPart(tx, ctx, part, bodies));
    if (dryRun) for (const id of createdIn(outcomes)) planned.add(id);
    const next = outcomes.values();
    for (const row of part) {
      const outcome = "refused" in row.body ? invalid(row.body.refused, row.body.issues) : next.next().value;
      assert(outcome, "each row that was read has an outcome");
      report.push(reported(row, outcome, planned));
    }
  }
  return report;
}

const createdIn = (outcomes: readonly ExternalOutcome[]) =>
  outcomes.flatMap((one) => (!(one instanceof ApiError) && one.action === "create" ? [one.subscription.id] : []));

async function recordPart(
  tx: Tx,
  ctx: Ctx,
  part: readonly ReadRow[],
  bodies: readonly ExternalSubscriptionCreateBody[],
): Promise<readonly ExternalOutcome[]> {
  const outcomes = await recordExternals(tx, ctx, bodies, "import");
  const created = createdIn(outcomes);
  const action = "POST /customer-subscriptions/imports";
  const lines = { from: part[0]?.line, to: part.at(-1)?.line };
  if (created.length > 0) recordAudit(tx, { ...ctx, action, subject: null, before: null, after: { lines, created } });
  return outcomes;
}

/**
 * The rows as reported. `planned`: ids of records that a dry run would create; they do not exist, so they are left out.
 */
function reported(
  { line, externalReference }: ReadRow,
  outcome: ExternalOutcome,
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
