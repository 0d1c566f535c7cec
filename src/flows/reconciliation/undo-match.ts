import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { CustomerId, InvoicePaymentId } from "../../kernel/ids.ts";
import { subtract, ZERO } from "../../kernel/money.ts";
import { reversed } from "../../modules/books/rules.ts";
import { entriesOf, lockCustomerBalance, postEntries } from "../../modules/books/store.ts";
import { isCreditOfMatchUsed } from "../../modules/credit-refunds/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import {
  addToTotals,
  lockReconciliation,
  markUnmatched,
  undoAllocationsOf,
} from "../../modules/reconciliation/store/runs.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { cancelPaidSale, takeBackOfflinePayment } from "../invoices/take-back-payment.ts";
import { type ItemChange, readItem } from "./match-by-hand.ts";
import { entrySubject } from "./record-matches.ts";

/**
 * Undoes the match of a line, whoever made it, or the decision to ignore it: its entries are reversed, the payments of
 * invoices that it recorded are deleted (decisions.md#undoing-deletes-the-payment), the invoices of its sales are
 * cancelled, and the balances of the books are as before (interface 14.5). Locks as `matchItem`. Throws 404; 409 when
 * the line is neither matched nor ignored, and when an invoice that it paid has been cancelled, credit from it was paid
 * out, or a sale has a credit note.
 */
export async function undoMatch(tx: Tx, ctx: Ctx, id: string): Promise<ItemChange> {
  lockReconciliation(tx);
  const before = await readItem(tx, id);
  const { item, allocations } = before;
  if (item.status === "ignored" && before.run.withdrawnAt !== null)
    throw new ApiError("invalid_state", 409, "The statement of this line was withdrawn. Import it again.");
  if (item.status === "ignored") {
    markUnmatched(tx, item.id);
    addToTotals(tx, item.runId, { matched: 0, amountMatched: ZERO, unmatched: 1, amountUnmatched: item.amount });
    return { before, after: await readItem(tx, id) };
  }
  if (item.status !== "matched" || !item.matchId)
    throw new ApiError("invalid_state", 409, "This line is not matched, so there is nothing to undo.");
  if (allocations.some(({ recorded, kind }) => recorded || kind === "customer_credit")) lockNumbers(tx, "invoice");
  await requireCreditKept(tx, before);
  const posted = await entriesOf(
    tx,
    "bank_match",
    allocations.filter((allocation) => allocation.posted).map(entrySubject),
  );
  assert(
    posted.length === allocations.filter((allocation) => allocation.posted).length,
    "each part that was posted has its entry",
  );
  postEntries(
    tx,
    posted.map((entry) => ({
      ...entry,
      kind: "bank_match_reversal" as const,
      occurredAt: ctx.now,
      description: `Undone: ${entry.description}`,
      postings: reversed(entry.postings),
    })),
  );
  undoAllocationsOf(tx, [item.matchId], ctx.now);
  markUnmatched(tx, item.id);
  const { amount } = item;
  addToTotals(tx, item.runId, {
    matched: -1,
    amountMatched: subtract(ZERO, amount),
    unmatched: 1,
    amountUnmatched: amount,
  });
  for (const { recorded, invoiced, subject } of allocations)
    if (recorded && subject)
      await (invoiced ? cancelPaidSale : takeBackOfflinePayment)(tx, ctx, subject as InvoicePaymentId);
  return { before, after: await readItem(tx, id) };
}

/**
 * Locks the balances of customers whose credit came from the match. Throws 409 when some of it was paid out: then the
 * match cannot be undone.
 */
async function requireCreditKept(tx: Tx, { item, run, allocations }: ItemChange["before"]): Promise<void> {
  const customers = allocations.flatMap(({ kind, subject }) => (kind === "customer_credit" && subject ? subject : []));
  for (const id of [...new Set(customers)].sort()) lockCustomerBalance(tx, id as CustomerId, run.currency);
  if (customers.length > 0 && (await isCreditOfMatchUsed(tx, item.matchId ?? "")))
    throw new ApiError(
      "invalid_state",
      409,
      "Credit that this match brought was paid out to the customer or applied to an invoice, so it cannot be undone.",
    );
}
