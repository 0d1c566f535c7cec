import type { Refund } from "../../domain/refunds.ts";
import { appendEvent } from "../../events/outbox.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import { refundPostings, reversed } from "../../modules/books/rules.ts";
import { postEntry, vatOfEntries } from "../../modules/books/store.ts";
import { creditUsedOf } from "../../modules/credit-refunds/store.ts";
import {
  PAYMENT_PARTIALLY_REFUNDED,
  PAYMENT_REFUNDED,
  REFUND_CREATED,
  REFUND_FAILED,
  REFUND_PROCESSED,
} from "../../modules/payments/declarations.ts";
import { refundFromCredit, reversedAmount } from "../../modules/payments/rules.ts";
import { afterRefunds } from "../../modules/payments/states.ts";
import { flagTransaction, lockTransaction, setStatusAfterRefund } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { paymentEventView, refundEventView } from "../../modules/payments/view.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { alertRefundFailed } from "../mail/staff-alerts.ts";
import { acceptedRefundTotal } from "./accepted-refund-total.ts";
import { customerOfPayment, lockPurposesOf } from "./lock-purposes.ts";
import type { LockedPurpose } from "./purpose.ts";
import { settleNotesOfInvoice, unsettleNotes } from "./settle-credit-notes.ts";
import { recordOf } from "./transaction-record.ts";
import { vatTakenBack } from "./vat-taken-back.ts";

/** A locked payment whose refunds change. */
export interface RefundedPayment {
  readonly transaction: Transaction;
  /** The customer whose balance the payment belongs to. */
  readonly customerId: CustomerId | null;
  readonly purposes: readonly LockedPurpose[];
}

/** Locks the records of a payment's purposes and then the payment, before a refund is made or changed. */
export async function lockPaymentForRefund(tx: Tx, ctx: Ctx, found: Transaction): Promise<RefundedPayment | null> {
  const purposes = await lockPurposesOf(tx, ctx, { payment: found, move: "refunded", fact: null });
  const transaction = await lockTransaction(tx, found.id);
  return transaction && { transaction, customerId: customerOfPayment(purposes, transaction), purposes };
}

/**
 * Posts a refund: updates the payment's status, posts the entry, updates the customer's standing, appends the event.
 * The caller holds the locks of `lockPaymentForRefund`.
 */
export async function postRefund(
  tx: Tx,
  ctx: Ctx,
  { transaction, customerId, purposes }: RefundedPayment,
  refund: Refund,
): Promise<void> {
  const total = await acceptedRefundTotal(tx, transaction);
  const status = afterRefunds(transaction.amount, total);
  const others = subtract(total, refund.amount);
  const fromCredit = await fromCreditOf(tx, transaction, refund, others);
  const vat = await vatOfRefund(tx, transaction, subtract(refund.amount, fromCredit), others);
  setStatusAfterRefund(tx, transaction.id, status);
  postEntry(tx, {
    kind: "refund",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Refund ${refund.refundNumber}`,
    currency: refund.currency,
    gatewayAccountId: transaction.gatewayAccountId,
    postings: refundPostings({ ...refund, fromCredit, vat, through: refund.method, customerId }),
  });
  if (transaction.invoiceId) await settleNotesOfInvoice(tx, ctx, transaction.invoiceId);
  if (customerId) await updateStanding(tx, ctx, customerId, refund.currency);
  const record = await recordOf(tx, ctx, { ...transaction, status });
  appendEvent(
    tx,
    ctx.now,
    status === "refunded" ? PAYMENT_REFUNDED : PAYMENT_PARTIALLY_REFUNDED,
    transaction.reference,
    paymentEventView(record),
  );
  for (const purpose of purposes) await purpose.refund?.({ refund, fromCredit });
}

/** Appends `refund.created`, or the event of the outcome that the refund has reached. */
export async function appendRefundEvent(
  tx: Tx,
  ctx: Ctx,
  what: "created" | "processed" | "failed",
  transaction: Transaction,
  refund: Refund,
): Promise<void> {
  const event = { created: REFUND_CREATED, processed: REFUND_PROCESSED, failed: REFUND_FAILED }[what];
  const record = await recordOf(tx, ctx, transaction);
  appendEvent(tx, ctx.now, event, transaction.reference, refundEventView(record, refund));
}

/**
 * The part of a refund, in cents, that is taken from what refunds and reversals have left of the credit that the
 * payment made, when `others` (cents) of the payment are refunded already. The rest is taken from revenue.
 */
export async function fromCreditOf(
  tx: Tx,
  transaction: Transaction,
  refund: Pick<Refund, "amount">,
  others: Cents,
): Promise<Cents> {
  const taken = sum([others, reversedAmount(await reversalsOf(tx, [transaction.id]))]);
  const credit = subtract(transaction.overpaid, await creditUsedOf(tx, transaction.id));
  return refundFromCredit(credit, taken, refund.amount);
}

/** The VAT in the part of a refund that is taken from revenue, in cents, when `others` (cents) are refunded already. */
async function vatOfRefund(tx: Tx, transaction: Transaction, amount: Cents, others: Cents): Promise<Cents> {
  if (transaction.invoiceId || amount === 0) return ZERO;
  const [reversals, paidOut] = await Promise.all([reversalsOf(tx, [transaction.id]), creditUsedOf(tx, transaction.id)]);
  return vatTakenBack(tx, transaction, { amount, others: sum([others, reversedAmount(reversals), paidOut]) });
}

/**
 * Reverses a refund that the gateway accepted and could not make: the merchant still has the money, the payment is
 * flagged, and staff are mailed. The amount returns to the ledger account from which the refund would be taken now,
 * since other refunds or a cancelled invoice may have changed that.
 */
export async function reverseRefund(
  tx: Tx,
  ctx: Ctx,
  { transaction, customerId }: RefundedPayment,
  refund: Refund,
): Promise<void> {
  const others = await acceptedRefundTotal(tx, transaction);
  const [fromCredit, vat] = await Promise.all([
    fromCreditOf(tx, transaction, refund, others),
    vatOfEntries(tx, ["refund"], [refund.id]),
  ]);
  setStatusAfterRefund(tx, transaction.id, afterRefunds(transaction.amount, others));
  flagTransaction(tx, transaction.id, "refund_failed");
  postEntry(tx, {
    kind: "refund_reversal",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Reversal of refund ${refund.refundNumber}`,
    currency: refund.currency,
    gatewayAccountId: transaction.gatewayAccountId,
    postings: reversed(refundPostings({ ...refund, fromCredit, vat: cents(-vat), through: refund.method, customerId })),
  });
  await unsettleNotes(tx, ctx, refund.id);
  if (customerId) await updateStanding(tx, ctx, customerId, refund.currency);
  await alertRefundFailed(tx, ctx, transaction, refund);
}
