import { subtract, ZERO } from "../../kernel/money.ts";
import { addToTotals, lockReconciliation, markIgnored } from "../../modules/reconciliation/store/runs.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type ItemChange, readItem, requireUnmatched } from "./match-by-hand.ts";

/**
 * Ignores an unmatched line that is not the organisation's, with a reason (interface 14.5): it gets no entry in the
 * books, and needs no match any longer. `undoMatch` undoes this. Locks `lockReconciliation`. Throws 404; 409 with the
 * reason when the line is no longer unmatched.
 */
export async function ignoreItem(tx: Tx, ctx: Ctx, id: string, reason: string): Promise<ItemChange> {
  lockReconciliation(tx);
  const before = await readItem(tx, id);
  requireUnmatched(before);
  const { item } = before;
  markIgnored(tx, item.id, { reason, by: ctx.actor.name ?? "staff", now: ctx.now });
  addToTotals(tx, item.runId, {
    matched: 0,
    amountMatched: ZERO,
    unmatched: -1,
    amountUnmatched: subtract(ZERO, item.amount),
  });
  return { before, after: await readItem(tx, id) };
}
