import { appendEvent } from "../../events/outbox.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, subtract, sum } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { refundPostings, reversed } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import type { Posting } from "../../modules/books/types.ts";
import { creditRefundedOf } from "../../modules/credit-refunds/store.ts";
import { PAYMENT_PARTIALLY_REFUNDED, PAYMENT_REFUNDED } from "../../modules/payments/declarations.ts";
import { mismatchOf, refundFromCredit, reversedAmount } from "../../modules/payments/rules.ts";
import { afterRefunds, moveRefund } from "../../modules/payments/states.ts";
import {
  findByReference,
  findTransaction,
  flagTransaction,
  lockTransaction,
  setRefundStatus,
} from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import { REFUND_CHECK } from "../../modules/refunds/declarations.ts";
import { findRefund, findRefundByProviderRef, refundsOf, updateRefund } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { alertRefundFailed } from "../mail/staff-alerts.ts";
import { acceptedRefundTotal } from "./accepted-refund-total.ts";
import { customerOfPayment, lockPurposesOf } from "./purposes.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";
import { recordOf } from "./transaction-record.ts";

/** A locked payment whose refunds change. */
export interface RefundedPayment {
  readonly transaction: Transaction;
  /** The customer whose balance the payment belongs to. */
  readonly customerId: CustomerId | null;
}

/** Locks the records of a payment's purposes and then the payment, before a refund of it is made or changed. */
export async function lockPaymentForRefund(tx: Tx, ctx: Ctx, found: Transaction): Promise<RefundedPayment | null> {
  const purposes = await lockPurposesOf(tx, ctx, { payment: found, move: "refunded", fact: null });
  const transaction = await lockTransaction(tx, found.id);
  return transaction && { transaction, customerId: customerOfPayment(purposes, transaction) };
}

/**
 * Posts a refund: updates the payment's status, posts the entry, updates the customer's standing, appends the event. The caller
 * holds the locks of `lockPaymentForRefund`.
 */
export async function postRefund(
  tx: Tx,
  ctx: Ctx,
  { transaction, customerId }: RefundedPayment,
  refund: Refund,
): Promise<void> {
  const total = await acceptedRefundTotal(tx, transaction);
  const status = afterRefunds(transaction.amount, total);
  setRefundStatus(tx, transaction.id, status);
  postEntry(tx, {
    kind: "refund",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Refund ${refund.refundNumber}`,
    currency: refund.currency,
    gatewayAccountId: transaction.gatewayAccountId,
    postings: await postingsOf(tx, transaction, refund, subtract(total, refund.amount), customerId),
  });
  if (customerId) await updateStanding(tx, ctx, customerId, refund.currency);
  const record = await recordOf(tx, ctx, { ...transaction, status });
  appendEvent(
    tx,
    ctx.now,
    status === "refunded" ? PAYMENT_REFUNDED : PAYMENT_PARTIALLY_REFUNDED,
    transaction.reference,
    paymentEventView(record),
  );
}

/**
 * The postings of a refund when `others` (cents) of the payment are refunded already: out of what refunds and reversals have left of the
 * credit that the payment made, then out of revenue.
 */
async function postingsOf(
  tx: Tx,
  transaction: Transaction,
  refund: Refund,
  others: Cents,
  customerId: CustomerId | null,
): Promise<readonly Posting[]> {
  const taken = sum([others, reversedAmount(await reversalsOf(tx, [transaction.id]))]);
  const credit = subtract(transaction.overpaid, await creditRefundedOf(tx, transaction.id));
  const fromCredit = refundFromCredit(credit, taken, refund.amount);
  return refundPostings({ ...refund, fromCredit, through: refund.method, customerId });
}

/**
 * Reverses a refund that the gateway accepted and could not make: the merchant still has the money, and the payment is flagged and mailed to
 * staff. The amount goes back to the ledger account that the refund would be taken from now, since other refunds or a cancelled invoice
 * may have changed that.
 */
async function reverseRefund(
  tx: Tx,
  ctx: Ctx,
  { transaction, customerId }: RefundedPayment,
  refund: Refund,
): Promise<void> {
  const others = await acceptedRefundTotal(tx, transaction);
  setRefundStatus(tx, transaction.id, afterRefunds(transaction.amount, others));
  flagTransaction(tx, transaction.id, "refund_failed");
  postEntry(tx, {
    kind: "refund_reversal",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Reversal of refund ${refund.refundNumber}`,
    currency: refund.currency,
    gatewayAccountId: transaction.gatewayAccountId,
    postings: reversed(await postingsOf(tx, transaction, refund, others, customerId)),
  });
  if (customerId) await updateStanding(tx, ctx, customerId, refund.currency);
  await alertRefundFailed(tx, ctx, transaction, refund);
}

/**
 * Finds the refund by our id; by that of the gateway account when the gateway does not return ours; else by payment and amount, when one
 * refund alone has them. Of several the gateway is asked about each, and about a processed one that would fail by it (decision 477). Locks nothing.
 */
async function identifyRefund(
  tx: Tx,
  { now }: Ctx,
  accountId: string,
  { kind, refundId, providerRefundRef, reference, amount }: RefundFact,
): Promise<Refund | null> {
  if (refundId !== null) return findRefund(tx, refundId);
  const named = providerRefundRef === null ? null : await findRefundByProviderRef(tx, accountId, providerRefundRef);
  const payment = named || reference === null ? null : await findByReference(tx, reference);
  if (named || payment?.gatewayAccountId !== accountId) return named;
  const alike = (await refundsOf(tx, [payment.id])).filter(
    (refund) =>
      refund.method === "gateway" &&
      (amount === null || refund.amount === amount) &&
      (providerRefundRef === null || refund.providerRef === null),
  );
  const [first, ...others] = alike;
  // It may be about a refund that was made at the gateway itself.
  const isSure = others.length === 0 && !(kind === "refused" && first?.status === "processed");
  if (first && isSure) return first;
  for (const refund of alike) if (refund.status !== "failed") enqueue(tx, REFUND_CHECK, refund.id, now);
  return null;
}

/**
 * Applies a fact about a refund: an answer to our request, a notification or a query. A refund moves forward only (requested,
 * pending, processed, failed), and each step happens once. Every fact is recorded with its outcome. One with another amount or from
 * another gateway account is flagged, not applied. Locks as `lockPaymentForRefund`.
 */
export async function applyRefundFact(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: RefundFact,
): Promise<FactOutcome> {
  const known = await identifyRefund(tx, ctx, reportedBy.accountId, fact);
  const found = known && (await findTransaction(tx, known.transactionId));
  const reported = { reportedBy, fact };
  const payment = found && (await lockPaymentForRefund(tx, ctx, found));
  const refund = payment && (await findRefund(tx, known.id));
  if (!payment || refund?.method !== "gateway")
    return recordFact(tx, ctx, found, reported, "unknown_reference", "no refund through a gateway has this id");
  const { currency } = refund;
  const mismatch =
    gatewayAccountMismatch(payment.transaction, reportedBy.accountId) ??
    (fact.amount === null ? null : mismatchOf(refund, { amount: fact.amount, currency }));
  if (mismatch) return recordMismatch(tx, ctx, payment.transaction, reported, mismatch);
  const providerRef = fact.providerRefundRef ?? refund.providerRef;
  const status = moveRefund(refund.status, fact.kind);
  if (!status) {
    if (refund.providerRef === null && providerRef !== null) updateRefund(tx, { ...refund, providerRef });
    return recordFact(tx, ctx, found, reported, "repeated");
  }
  const after: Refund = {
    ...refund,
    status,
    providerRef,
    failure: status === "failed" ? fact.reason : null,
    processedAt: status === "processed" ? ctx.now : null,
  };
  updateRefund(tx, after);
  if (status !== "pending") cancelWork(tx, REFUND_CHECK, refund.id);
  const counted = refund.status !== "requested";
  if (status === "failed" && counted) await reverseRefund(tx, ctx, payment, after);
  if (status !== "failed" && !counted) await postRefund(tx, ctx, payment, after);
  return recordFact(tx, ctx, found, reported, "applied");
}
