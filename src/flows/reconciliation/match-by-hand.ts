import { assert } from "../../kernel/assert.ts";
import { ApiError, invalid, notFound } from "../../kernel/errors.ts";
import { cents, formatMoney, subtract, sum, ZERO } from "../../kernel/money.ts";
import { timeOfDay, utcDate } from "../../kernel/time.ts";
import { shareMonths } from "../../modules/accounting-months/store.ts";
import { fragmentOf } from "../../modules/reconciliation/rules.ts";
import type { ShareBody } from "../../modules/reconciliation/schema.ts";
import { proposeRule } from "../../modules/reconciliation/store/accounts.ts";
import { receiptsOf } from "../../modules/reconciliation/store/receipts.ts";
import {
  addToTotals,
  allocationsOf,
  findItem,
  findRun,
  lockReconciliation,
  markMatched,
} from "../../modules/reconciliation/store/runs.ts";
import type { Allocation, Item, Receipt, Run } from "../../modules/reconciliation/types.ts";
import { staffItemView } from "../../modules/reconciliation/view.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { matchedItem, recordMatches, type Share } from "./record-matches.ts";
import { sharesOf } from "./shares.ts";

/** An item with its run and its match. */
export interface ItemWithAllocations {
  readonly item: Item;
  readonly run: Run;
  readonly allocations: readonly Allocation[];
  readonly received: Receipt | undefined;
}

/** An item before and after a change. */
export interface ItemChange {
  readonly before: ItemWithAllocations;
  readonly after: ItemWithAllocations;
}

/** Reads an item. Throws 404. */
export async function readItem(tx: Tx, id: string): Promise<ItemWithAllocations> {
  const item = await findItem(tx, id);
  if (!item) throw notFound("reconciliation item");
  const run = await findRun(tx, item.runId);
  assert(run, "an item has a run");
  const [allocations, receipts] = await Promise.all([allocationsOf(tx, [item.id]), receiptsOf(tx, [item])]);
  return { item, run, allocations, received: receipts.get(item.id) };
}

/**
 * Matches an unmatched line with the parts that staff give, whose sum is the line's amount (interface 14.5): makes the
 * invoices of sales, records payments of invoices, posts the entries, and proposes a rule for a part that was no payment.
 * Locks `shareMonths` and `lockReconciliation` first, then as the payments of invoices do. Throws 404; 409 with the reason
 * when the line is no longer unmatched; 400 when the parts do not match the line.
 */
export async function matchItem(tx: Tx, ctx: Ctx, id: string, bodies: readonly ShareBody[]): Promise<ItemChange> {
  // A payment of an invoice has the day of its line, which may be in an earlier month.
  shareMonths(tx);
  lockReconciliation(tx);
  const before = await readItem(tx, id);
  const { run } = before;
  requireUnmatched(before);
  const { shares, transactionReference } = await sharesOf(tx, ctx, { item: before.item, run }, bodies);
  requireWhole(before.item, run, shares);
  const match = {
    item: before.item,
    reason: "by_hand",
    transactionReference,
    matchedBy: ctx.actor.name ?? "staff",
    shares,
  } as const;
  const as = matchedItem(ctx, match);
  markMatched(tx, [as]);
  recordMatches(tx, ctx, run, [{ match, as }]);
  const { amount } = before.item;
  addToTotals(tx, run.id, {
    matched: 1,
    amountMatched: amount,
    unmatched: -1,
    amountUnmatched: subtract(ZERO, amount),
  });
  learn(tx, ctx, { item: before.item, run }, shares);
  return { before, after: await readItem(tx, id) };
}

/** Throws 409 with the reason unless the line is unmatched. */
export function requireUnmatched({ item, run, ...found }: ItemWithAllocations): void {
  if (item.status === "unmatched") return;
  const shown = { item: staffItemView(item, run, found) };
  throw new ApiError("invalid_state", 409, refusal(item), { shown });
}

function refusal({ status, matchedBy, matchedAt, transactionReference, ignoredBecause }: Item): string {
  if (status === "duplicate") return "This line was imported before: match it where it came first.";
  if (status === "not_received") return "This is a payment that the statement lacks, not a line of it.";
  const when = matchedAt ? ` on ${utcDate(matchedAt)} at ${timeOfDay(matchedAt)}` : "";
  if (status === "ignored") return `This line was ignored by ${matchedBy}${when}: ${ignoredBecause}. Undo that first.`;
  const what = transactionReference ? ` with ${transactionReference}` : "";
  return `This line was matched${what} by ${matchedBy ?? "the service"}${when}. Undo that first.`;
}

/** Throws 400 unless the sum of the parts is the line's amount. */
function requireWhole({ amount }: Item, { currency }: Run, shares: readonly Share[]): void {
  const total = sum(shares.map((share) => share.amount));
  if (total === amount) return;
  const missing = subtract(amount, total);
  const rest =
    missing > 0 === amount > 0
      ? `${formatMoney(missing, currency)} is left over`
      : `they are ${formatMoney(subtract(total, amount), currency)} too much`;
  throw invalid(
    `The parts add up to ${formatMoney(total, currency)}, the line is ${formatMoney(amount, currency)}: ` +
      `${rest}. ` +
      "What was overpaid can be customer_credit, what the bank kept bank_fee.",
  );
}

/** Proposes a rule for similar lines, when the line is a single part that is no payment. */
function learn(
  tx: Tx,
  ctx: Ctx,
  { item, run }: { readonly item: Item; readonly run: Run },
  [only, ...others]: readonly Share[],
): void {
  const fragment = fragmentOf(item.description);
  if (run.source === "statement_feed" || !only || others.length > 0 || !fragment) return;
  const { kind } = only;
  if (kind !== "payout" && kind !== "bank_fee" && kind !== "own_transfer") return;
  proposeRule(tx, {
    id: newId("rcr"),
    account: run.account,
    fragment,
    direction: item.amount < cents(0) ? "out" : "in",
    kind,
    subject: only.gatewayAccountId ?? null,
    status: "proposed",
    itemId: item.id,
    decidedAt: null,
    createdAt: ctx.now,
  });
}
