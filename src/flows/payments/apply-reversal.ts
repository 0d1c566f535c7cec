import type { Reversal } from "../../domain/reversal.ts";
import { appendEvent } from "../../events/outbox.ts";
import type { ReversalFact } from "../../gateways/facts.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import { reversalPostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import type { Posting } from "../../modules/books/types.ts";
import { creditUsedOf } from "../../modules/credit-refunds/store.ts";
import { forgetReversal } from "../../modules/disputes/store.ts";
import { PAYMENT_REVERSED } from "../../modules/payments/declarations.ts";
import {
  isSameReversal,
  isSettledInSets,
  mismatchOf,
  refundFromCredit,
  reversedAmount,
  undoneByReversal,
} from "../../modules/payments/rules.ts";
import { flagTransaction, lockTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import { deleteReversal, insertReversal, reversalsOf, updateReversal } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { alertReversed } from "../mail/staff-alerts.ts";
import { acceptedRefundTotal } from "./accepted-refund-total.ts";
import { findReported } from "./identify-payment.ts";
import { customerOfPayment, finishPurposes, lockPurposesOf } from "./lock-purposes.ts";
import type { LockedPurpose } from "./purpose.ts";
import { disputeIn, disputeOf, recordDispute } from "./record-dispute.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";
import { recordOf } from "./transaction-record.ts";
import { vatTakenBack } from "./vat-taken-back.ts";

/**
 * Applies the report that a bank reversed a payment (interface 16.20): once for each reversal, however often it is
 * reported, and never for more than the payment. A reversal that is reported before its payment has completed waits for
 * that. A report of more than the payment or from another gateway account is recorded and flagged, not applied. Locks
 * the records of the payment's purposes and the payment.
 */
export async function applyReversalFact(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: ReversalFact,
): Promise<FactOutcome> {
  const found = await findReported(tx, reportedBy.accountId, fact);
  const reported = { reportedBy, fact };
  if (!found) return recordFact(tx, ctx, null, reported, "unknown_reference", "no payment has this reference");
  const mismatch =
    gatewayAccountMismatch(found, reportedBy.accountId) ??
    (fact.amount > found.amount ? mismatchOf(found, { amount: fact.amount, currency: found.currency }) : null);
  if (mismatch) return recordMismatch(tx, ctx, found, reported, mismatch);
  const purposes = await lockPurposesOf(tx, ctx, { payment: found, move: "reversed", fact: null });
  const payment = await lockTransaction(tx, found.id);
  const known = payment && (await reversalsOf(tx, [payment.id]));
  const dispute = payment && disputeIn(payment, fact);
  const same = known?.find((reversal) => isSameReversal(reversal, fact));
  const stored = payment && dispute ? await disputeOf(tx, payment, dispute.id) : null;
  // A report that comes after the end of its dispute takes nothing.
  if (!payment || same || stored?.status === "won") {
    const lost = payment && dispute && stored?.status === "open" && dispute.lost;
    if (lost) await recordDispute(tx, ctx, payment, dispute, same ?? null);
    return recordFact(tx, ctx, found, reported, lost ? "applied" : "repeated");
  }
  const waiting: Reversal = {
    id: newId("rev"),
    transactionId: payment.id,
    amount: fact.amount,
    reason: fact.reason,
    code: fact.code,
    givesBack: null,
    isHard: fact.hard,
    occurredAt: fact.occurredAt,
    reversedAt: null,
    createdAt: ctx.now,
  };
  const taken = payment.paidAt === null ? waiting : bounded(payment, known ?? [], waiting, ctx);
  if (!taken) return recordFact(tx, ctx, found, reported, "repeated");
  insertReversal(tx, taken);
  const isOpen = dispute !== null && !dispute.lost;
  if (taken.reversedAt) await postReversal(tx, ctx, { payment, purposes, before: known ?? [] }, taken, isOpen);
  if (dispute) {
    if (!payment.flags.includes("disputed")) flagTransaction(tx, payment.id, "disputed");
    await recordDispute(tx, ctx, payment, { ...dispute, amount: taken.amount }, taken);
  }
  return recordFact(tx, ctx, found, reported, "applied");
}

/**
 * Applies the reversals of a payment that were reported before it completed, in the transaction that has just completed
 * it.
 */
export async function applyWaitingReversals(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  reversals: readonly Reversal[],
): Promise<void> {
  const before = reversals.filter(({ reversedAt }) => reversedAt !== null);
  for (const waiting of reversals.filter(({ reversedAt }) => reversedAt === null)) {
    const taken = bounded(payment, before, waiting, ctx);
    if (!taken) {
      forgetReversal(tx, waiting.id);
      deleteReversal(tx, waiting);
      continue;
    }
    updateReversal(tx, taken);
    const purposes = await lockPurposesOf(tx, ctx, { payment, move: "reversed", fact: null });
    await postReversal(tx, ctx, { payment, purposes, before: [...before] }, taken);
    before.push(taken);
  }
}

/** The reversal, limited to what is left of the payment; null when nothing is left. */
function bounded(payment: Transaction, before: readonly Reversal[], reversal: Reversal, { now }: Ctx): Reversal | null {
  const amount = cents(Math.min(reversal.amount, payment.amount - reversedAmount(before)));
  return amount > 0 ? { ...reversal, amount, reversedAt: now } : null;
}

interface ReversedPayment {
  readonly payment: Transaction;
  /** The purposes, locked for the move `reversed`. */
  readonly purposes: readonly LockedPurpose[];
  /** The reversals that were posted earlier. */
  readonly before: readonly Reversal[];
}

async function postReversal(
  tx: Tx,
  ctx: Ctx,
  { payment, purposes, before }: ReversedPayment,
  reversal: Reversal,
  isDisputed = false,
): Promise<void> {
  const customerId = customerOfPayment(purposes, payment);
  const reversed = reversedAmount(before);
  const undone = undoneByReversal(payment.overpaid, reversed, reversal.amount);
  const fromCredit = await takeCredit(tx, { payment, purposes, before }, reversal);
  postEntry(tx, {
    kind: "reversal",
    subject: reversal.id,
    occurredAt: ctx.now,
    description: `Reversal of payment ${payment.reference}`,
    currency: payment.currency,
    gatewayAccountId: payment.gatewayAccountId,
    postings: await postingsOf(tx, payment, { reversed, undone, fromCredit }, reversal.amount, customerId),
  });
  for (const { reverse } of purposes) await reverse?.(payment, reversal, undone);
  await finishPurposes(purposes);
  // What the customer owes does not change, so the balance is not locked (`payerPurpose`).
  if (customerId && !isSettledInSets(payment)) await updateStanding(tx, ctx, customerId, payment.currency);
  appendEvent(tx, ctx.now, PAYMENT_REVERSED, payment.reference, paymentEventView(await recordOf(tx, ctx, payment)));
  // Of a dispute that can be answered staff get a mail of its own.
  if (!isDisputed) await alertReversed(tx, ctx, payment, reversal);
}

/**
 * The part of a reversal that is taken from the payment's credit, in cents. What is short of it is first taken back from the invoices
 * that the credit pays.
 */
async function takeCredit(tx: Tx, { payment, purposes, before }: ReversedPayment, reversal: Reversal): Promise<Cents> {
  const credit = await creditLeftOf(tx, payment);
  const taken = sum([reversedAmount(before), await acceptedRefundTotal(tx, payment)]);
  let short = cents(reversal.amount - Math.max(0, credit - taken));
  let back = ZERO;
  for (const { takeCreditBack } of purposes) {
    if (!takeCreditBack || short <= 0) continue;
    const amount = await takeCreditBack(reversal, short);
    short = subtract(short, amount);
    back = sum([back, amount]);
  }
  return sum([refundFromCredit(credit, taken, reversal.amount), back]);
}

/** The credit that a payment made and that was not used, in cents. Few payments made any. */
const creditLeftOf = async (tx: Tx, { id, overpaid }: Transaction): Promise<Cents> =>
  overpaid === ZERO ? ZERO : subtract(overpaid, await creditUsedOf(tx, id));

/**
 * The postings of a reversal. An invoice's payment was applied to the invoice; of any other payment, the part that was
 * not overpaid is revenue.
 */
async function postingsOf(
  tx: Tx,
  payment: Transaction,
  { reversed, undone, fromCredit }: { readonly reversed: Cents; readonly undone: Cents; readonly fromCredit: Cents },
  amount: Cents,
  customerId: Transaction["customerId"],
): Promise<readonly Posting[]> {
  if (payment.invoiceId)
    return reversalPostings({ amount, reopened: undone, fromCredit, earned: ZERO, vat: ZERO, customerId });
  const others = sum([reversed, await acceptedRefundTotal(tx, payment)]);
  const vat = await vatTakenBack(tx, payment, { amount: undone, others });
  return reversalPostings({ amount, reopened: ZERO, fromCredit, earned: undone, vat, customerId });
}
