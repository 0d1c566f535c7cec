import { appendEvent } from "../../events/outbox.ts";
import type { PaidFact, PaymentFact } from "../../gateways/facts.ts";
import { statusFor } from "../../gateways/facts.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { ZERO } from "../../kernel/money.ts";
import { paymentPostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import {
  PAYMENT_CANCELLED,
  PAYMENT_CHECK,
  PAYMENT_COMPLETE,
  PAYMENT_FAILED,
} from "../../modules/payments/declarations.ts";
import { type Mismatch, mismatchOf, secondPayment } from "../../modules/payments/rules.ts";
import { advance, findTransaction, flagTransaction, recordProviderRef } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { isManualTransfer } from "../gateways/accounts.ts";
import { applyWaitingReversals } from "./apply-reversal.ts";
import { identifyPayment } from "./identify-payment.ts";
import type { LockedPurpose, PaymentSplit, UnpaidFact } from "./purpose.ts";
import { customerOfPayment, lockPurposes } from "./purposes.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";
import { recordOf } from "./transaction-record.ts";

const EVENT_OF = { complete: PAYMENT_COMPLETE, failed: PAYMENT_FAILED, cancelled: PAYMENT_CANCELLED };

/**
 * The only way for a payment to complete, fail or be cancelled, whoever reports it (interface 3.1). Identifies the payment, locks
 * the records of its purposes, moves its row and, only if that moved, posts it, calls its purposes and appends the event. A fact
 * with another amount, currency or gateway account, or of a second payment under the reference, is recorded and flagged, never applied. A later collection of a subscription is
 * recorded first, so that it is made and settled in one transaction.
 */
export async function settlePayment(tx: Tx, ctx: Ctx, reportedBy: ReportedBy, fact: PaymentFact): Promise<FactOutcome> {
  const payment = await identifyPayment(tx, ctx, reportedBy.accountId, fact);
  const reported = { reportedBy, fact };
  if (!payment) return recordFact(tx, ctx, null, reported, "unknown_reference", "no payment has this reference");
  const mismatch = gatewayAccountMismatch(payment, reportedBy.accountId) ?? moneyMismatch(payment, fact);
  if (mismatch) return recordMismatch(tx, ctx, payment, reported, mismatch);
  const to = statusFor(fact);
  if (to === "pending") {
    if (fact.providerRef !== null) recordProviderRef(tx, payment.id, fact.providerRef);
    return recordFact(tx, ctx, payment, reported, "repeated");
  }
  const purposes = await lockPurposes(tx, ctx, payment, to, fact);
  const moved = await advance(tx, payment.id, to, {
    at: ctx.now,
    fee: fact.kind === "paid" ? fact.fee : null,
    providerRef: fact.providerRef,
    payerEmail: fact.payerEmail,
  });
  // A payer who cancels here may still pay at the gateway: it is asked about further (decision 208).
  if (reportedBy.source !== "payer") cancelWork(tx, PAYMENT_CHECK, payment.id);
  if (!moved) return recordRepeat(tx, ctx, payment, reported);
  const settled =
    fact.kind === "paid" ? await fulfil(tx, ctx, moved, purposes, fact) : await abandon(moved, purposes, fact);
  const record = await recordOf(tx, ctx, settled);
  appendEvent(tx, ctx.now, EVENT_OF[to], moved.reference, paymentEventView(record));
  if (to === "complete") await applyWaitingReversals(tx, ctx, settled, record.reversals);
  return recordFact(tx, ctx, payment, reported, "applied");
}

/** Records a fact that does not move its payment; a second payment under one reference is flagged. */
async function recordRepeat(
  tx: Tx,
  ctx: Ctx,
  found: Transaction,
  reported: { readonly reportedBy: ReportedBy; readonly fact: PaymentFact },
): Promise<FactOutcome> {
  const { kind, providerRef } = reported.fact;
  // Read again: another report may have completed it since it was found.
  const payment = kind === "paid" ? await findTransaction(tx, found.id) : null;
  const second = payment && secondPayment(payment, providerRef);
  return payment && second
    ? recordMismatch(tx, ctx, payment, reported, second)
    : recordFact(tx, ctx, found, reported, "repeated");
}

/** A pending fact moves nothing. A fact that the payment failed need not give an amount. */
function moneyMismatch(payment: Transaction, { kind, amount, currency }: PaymentFact): Mismatch | null {
  return kind === "pending" || amount === null || currency === null ? null : mismatchOf(payment, { amount, currency });
}

const ALL_REVENUE: PaymentSplit = { applied: ZERO, overpaid: ZERO, vat: ZERO };

/**
 * Posts a completed payment, calls its purposes and updates the customer's standing, in the transaction that moved it. Returns the
 * payment with its overpaid amount.
 */
async function fulfil(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  purposes: readonly LockedPurpose[],
  fact: PaidFact,
): Promise<Transaction> {
  const split = (await purposes.find((purpose) => purpose.split)?.split?.()) ?? ALL_REVENUE;
  const { overpaid } = split;
  const customerId = customerOfPayment(purposes, payment);
  if (overpaid > 0) flagTransaction(tx, payment.id, "overpaid", overpaid);
  post(tx, ctx, payment, { split, customerId });
  for (const { complete } of purposes) await complete?.(payment, split, fact);
  if (customerId) await updateStanding(tx, ctx, customerId, payment.currency);
  const changes = Object.assign({}, ...purposes.map((purpose) => purpose.changes?.()));
  return {
    ...payment,
    ...changes,
    ...(overpaid > 0 ? { overpaid, flags: [...payment.flags, "overpaid"] } : {}),
  };
}

async function abandon(
  payment: Transaction,
  purposes: readonly LockedPurpose[],
  fact: UnpaidFact,
): Promise<Transaction> {
  for (const { fail } of purposes) await fail?.(payment, fact);
  return payment;
}

function post(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  { split, customerId }: { readonly split: PaymentSplit; readonly customerId: CustomerId | null },
): void {
  postEntry(tx, {
    kind: "payment",
    subject: payment.reference,
    occurredAt: ctx.now,
    description: payment.description ?? payment.reference,
    currency: payment.currency,
    gatewayAccountId: payment.gatewayAccountId,
    postings: paymentPostings({
      amount: payment.amount,
      fee: payment.fee,
      into: isManualTransfer(payment.gatewayType) ? "bank" : "gateway_clearing",
      applied: split.applied,
      vat: split.vat,
      credit: split.overpaid,
      customerId,
    }),
  });
}
