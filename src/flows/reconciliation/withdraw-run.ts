import { assert } from "../../kernel/assert.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { reversed } from "../../modules/books/rules.ts";
import { entriesOf, postEntries } from "../../modules/books/store.ts";
import {
  allocationsOf,
  findRun,
  lockReconciliation,
  matchedAfter,
  undoAllocationsOf,
} from "../../modules/reconciliation/store/runs.ts";
import { byHandOf, reviveDuplicates, withdrawLines } from "../../modules/reconciliation/store/withdrawn.ts";
import type { Item, Run } from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { LINES_TOGETHER } from "./match-bank-lines.ts";
import { entrySubject } from "./record-matches.ts";

/** A run before and after a change. */
export interface RunChange {
  readonly before: Run;
  readonly after: Run;
}

/**
 * Withdraws an imported statement (interface 14.5): its matches are undone in the books, its lines are excluded as
 * withdrawn and count as new when they are imported again, and lines of other statements that repeated them take their
 * places. Throws 404; 409 when one of its lines was matched manually, and for a run that was not imported, could not be
 * read or is withdrawn already.
 */
export async function withdrawRun(tx: Tx, ctx: Ctx, id: string): Promise<RunChange> {
  lockReconciliation(tx);
  const before = await findRun(tx, id);
  if (!before) throw notFound("reconciliation run");
  await requireWithdrawable(tx, before);
  for (let place = -1; ; ) {
    const items = await matchedAfter(tx, before.id, place, LINES_TOGETHER);
    const last = items.at(-1);
    if (!last) break;
    place = last.place;
    await undoTogether(tx, ctx, items);
  }
  withdrawLines(tx, before.id, { by: ctx.actor.name ?? "staff", now: ctx.now });
  reviveDuplicates(tx, before.id);
  const after = await findRun(tx, id);
  assert(after, "a run stays");
  return { before, after };
}

async function requireWithdrawable(tx: Tx, run: Run): Promise<void> {
  const refuse = (message: string) => new ApiError("invalid_state", 409, message);
  if (run.source !== "csv_upload") throw refuse("This is the gateway's own statement, which is not withdrawn.");
  if (run.status === "failed") throw refuse("This file was not imported, so there is nothing to withdraw.");
  if (run.withdrawnAt !== null) throw refuse("This statement is withdrawn already.");
  const byHand = await byHandOf(tx, run.id);
  if (byHand === 0) return;
  const what = byHand === 1 ? "A line of this statement was" : `${byHand} lines of this statement were`;
  throw refuse(`${what} matched by hand. Undo that first, then withdraw it.`);
}

/** Undoes matches that the service made, which recorded no payment and made no credit. */
async function undoTogether(tx: Tx, ctx: Ctx, items: readonly Item[]): Promise<void> {
  const allocations = await allocationsOf(
    tx,
    items.map((item) => item.id),
  );
  const posted = await entriesOf(tx, "bank_match", allocations.map(entrySubject));
  assert(posted.length === allocations.length, "each part of an imported line has its entry");
  postEntries(
    tx,
    posted.map((entry) => ({
      ...entry,
      kind: "bank_match_reversal" as const,
      occurredAt: ctx.now,
      description: `Withdrawn: ${entry.description}`,
      postings: reversed(entry.postings),
    })),
  );
  undoAllocationsOf(
    tx,
    items.flatMap(({ matchId }) => matchId ?? []),
    ctx.now,
  );
}
