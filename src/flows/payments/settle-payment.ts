import { declineReasonOf } from "../../domain/decline-reasons.ts";
import { appendEvents } from "../../events/outbox.ts";
import { type PaidFact, type PaymentFact, statusFor } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { type Cents, formatMoney, ZERO } from "../../kernel/money.ts";
import { paymentPostings } from "../../modules/books/rules.ts";
import { type NewEntry, postEntries } from "../../modules/books/store.ts";
import { recordNotifications } from "../../modules/gateway-notifications/store.ts";
import {
  PAYMENT_CANCELLED,
  PAYMENT_CHECK,
  PAYMENT_COMPLETE,
  PAYMENT_FAILED,
} from "../../modules/payments/declarations.ts";
import { isSettledInSets, type Mismatch, mismatchOf, secondPayment } from "../../modules/payments/rules.ts";
import { markReported } from "../../modules/payments/store/not-on-statement.ts";
import {
  advanceAll,
  findByReferences,
  findTransactions,
  flagTransaction,
  markExempt,
  recordProviderRefs,
} from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWorks } from "../../platform/due-work.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { isManualTransfer } from "../gateways/accounts.ts";
import { alertWaits } from "../mail/staff-alerts.ts";
import { applyWaitingReversals } from "./apply-reversal.ts";
import { asRevenue } from "./as-revenue.ts";
import { expectRefundReports } from "./expect-refund-reports.ts";
import { identifyPayment } from "./identify-payment.ts";
import { customerOfPayment, finishPurposes, lockPurposes } from "./lock-purposes.ts";
import type { LockedPurpose, PaymentSplit, UnpaidFact } from "./purpose.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordedFact,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";
import { recordsWithCustomers } from "./transaction-record.ts";

/**
 * Finds the mismatch of a payment with what its record expects; null when it has none, or the payment is for another
 * record.
 */
type FindMismatch = (
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  payment: Transaction,
  fact: PaymentFact,
) => Promise<Mismatch | null>;

/** Checked after the account and the amount. */
export const PAYMENT_MISMATCHES = new ExtensionPoint<FindMismatch>();

const EVENT_OF = { complete: PAYMENT_COMPLETE, failed: PAYMENT_FAILED, cancelled: PAYMENT_CANCELLED };

/**
 * The only way for a payment to complete, fail or be cancelled, whoever reports it (interface 3.1). Identifies the
 * payment, locks the records of its purposes, moves its row and, only if that moved, posts it, calls its purposes and
 * appends the event. A fact with another amount, currency or gateway account, one about a second payment under the
 * reference, and one about a renewal at another amount than its subscription's, is recorded and flagged, never applied.
 * A later collection of a subscription is recorded first, so that it is recorded and settled in one transaction.
 */
export async function settlePayment(tx: Tx, ctx: Ctx, reportedBy: ReportedBy, fact: PaymentFact): Promise<FactOutcome> {
  const payment = await identifyPayment(tx, ctx, reportedBy.accountId, fact);
  if (!payment)
    return recordFact(tx, ctx, null, { reportedBy, fact }, "unknown_reference", "no payment has this reference");
  const [outcome] = await settleSet(tx, ctx, reportedBy, [{ payment, fact }]);
  assert(outcome, "one fact has one outcome");
  return outcome;
}

/**
 * Like `settlePayment`, in few statements, for facts about different payments that are settled in sets. Locks as one
 * payment does, in `LOCK_ORDER`.
 */
export async function settlePayments(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  facts: readonly PaymentFact[],
): Promise<void> {
  const found = await findByReferences(
    tx,
    facts.flatMap(({ reference }) => reference ?? []),
  );
  const reports = facts.map((fact) => {
    const payment = found.get(fact.reference ?? "");
    assert(payment && isSettledInSets(payment), "only payments that are settled in sets are settled together");
    return { payment, fact };
  });
  await settleSet(tx, ctx, reportedBy, reports);
}

/** A fact with the payment that it is about. */
interface Reported {
  readonly payment: Transaction;
  readonly fact: PaymentFact;
}

const recordOtherMismatch: FindMismatch = async (tx, ctx, ...reported) => {
  for (const find of PAYMENT_MISMATCHES.of(ctx)) {
    const mismatch = await find(tx, ctx, ...reported);
    if (mismatch) return mismatch;
  }
  return null;
};

/**
 * Settles facts about different payments: one fact, or several about payments that are settled in sets. Returns the
 * outcomes in order.
 */
async function settleSet(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  reports: readonly Reported[],
): Promise<FactOutcome[]> {
  const mismatches = new Map<Reported, { payment: Transaction; mismatch: Mismatch }>();
  for (const report of reports) {
    const { payment, fact } = report;
    const mismatch =
      gatewayAccountMismatch(payment, reportedBy.accountId) ??
      moneyMismatch(payment, fact) ??
      (await recordOtherMismatch(tx, ctx, reportedBy, payment, fact));
    if (mismatch) mismatches.set(report, { payment, mismatch });
  }
  const fitting = reports.filter((report) => !mismatches.has(report));
  const { undecided = [], decided = [] } = Object.groupBy(fitting, ({ fact }) =>
    statusFor(fact) === "pending" ? "undecided" : "decided",
  );
  recordProviderRefs(
    tx,
    undecided.flatMap(({ payment: { id }, fact: { providerRef } }) =>
      providerRef === null ? [] : { id, providerRef },
    ),
  );
  markReported(
    tx,
    undecided.flatMap(({ payment: { id }, fact }) => (awaitsStatement(fact) ? id : [])),
    ctx.now,
  );
  for (const { payment, fact } of undecided)
    if (fact.kind === "pending" && fact.forStaff) await alertWaits(tx, ctx, payment.reference, fact.forStaff);
  const moved = await moveAll(tx, ctx, reportedBy, decided);
  const repeats = decided.filter(({ payment }) => !moved.has(payment.id));
  for (const [report, second] of await secondPayments(tx, repeats)) mismatches.set(report, second);
  const outcomeOf = (report: Reported): FactOutcome =>
    mismatches.has(report) ? "mismatch" : moved.has(report.payment.id) ? "applied" : "repeated";
  recordNotifications(
    tx,
    reports
      .filter((report) => !mismatches.has(report))
      .map((report) => recordedFact(ctx, report.payment, { reportedBy, fact: report.fact }, outcomeOf(report))),
  );
  for (const [{ fact }, { payment, mismatch }] of mismatches)
    await recordMismatch(tx, ctx, payment, { reportedBy, fact }, mismatch);
  return reports.map(outcomeOf);
}

/** Whether the gateway calls the payment paid and its statement still has to confirm it. */
const awaitsStatement = (fact: PaymentFact): boolean => fact.kind === "pending" && fact.waitsFor === "statement";

/**
 * The mismatch of amount or currency; null when there is none. A pending fact moves nothing, and a failure may be
 * reported without an amount.
 */
function moneyMismatch(payment: Transaction, fact: PaymentFact): Mismatch | null {
  const { kind, amount, currency, inexactAmount } = fact;
  const isPaid = kind === "paid" || awaitsStatement(fact);
  if (isPaid && inexactAmount !== undefined)
    return { what: "amount", expected: formatMoney(payment.amount, payment.currency), received: inexactAmount };
  return (kind === "pending" && !isPaid) || amount === null || currency === null
    ? null
    : mismatchOf(payment, { amount, currency });
}

/** Of the facts that did not move their payments, those about a second payment under one reference. */
async function secondPayments(tx: Tx, repeats: readonly Reported[]) {
  const paid = repeats.filter(({ fact }) => fact.kind === "paid");
  // Read again: another report may have completed it since it was found.
  const now = await findTransactions(
    tx,
    paid.map(({ payment }) => payment.id),
  );
  return paid.flatMap((report) => {
    const payment = now.get(report.payment.id);
    const mismatch = payment && secondPayment(payment, report.fact.providerRef);
    return mismatch ? [[report, { payment, mismatch }] as const] : [];
  });
}

/** A payment that a fact has moved, with its locked purposes. */
interface Moved<Fact extends PaymentFact = PaymentFact> {
  readonly payment: Transaction;
  readonly fact: Fact;
  readonly purposes: readonly LockedPurpose[];
}

/** Moves payments and does what follows from that. Returns the ids of those that moved. */
async function moveAll(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  reports: readonly Reported[],
): Promise<ReadonlySet<TransactionId>> {
  if (reports.length === 0) return new Set();
  const moving = reports.map(({ payment, fact }) => ({ payment, fact, move: forward(fact) }));
  const purposes = await lockPurposes(tx, ctx, moving);
  const moved = await advanceAll(
    tx,
    moving.map(({ payment, fact, move }) => ({
      id: payment.id,
      to: move,
      at: ctx.now,
      fee: fact.kind === "paid" ? fact.fee : null,
      providerRef: fact.providerRef,
      payerEmail: fact.payerEmail,
      declineReason: fact.kind === "declined" ? declineReasonOf(fact.gatewayWord, fact.reason) : null,
      card: fact.card && fact.card.last4 !== "" ? fact.card : null,
    })),
  );
  // A payer who cancels here may still pay at the gateway, so the payment is still queried
  // (decisions.md#cancelled-payments-are-still-queried).
  if (reportedBy.source !== "payer")
    cancelWorks(
      tx,
      PAYMENT_CHECK,
      moving.map(({ payment }) => payment.id),
    );
  const changed = reports.flatMap(({ payment: { id }, fact }): Moved[] => {
    const payment = moved.get(id);
    return payment ? [{ payment, fact, purposes: purposes.get(id) ?? [] }] : [];
  });
  await appendEventsOf(tx, ctx, await fulfil(tx, ctx, changed));
  await expectRefundReports(
    tx,
    ctx,
    changed.filter(isPaid).map(({ payment }) => payment),
  );
  return new Set(moved.keys());
}

/** The status to which a fact that decides a payment moves it. */
function forward(fact: PaymentFact): "complete" | "failed" | "cancelled" {
  const status = statusFor(fact);
  assert(status !== "pending", "a pending fact moves nothing");
  return status;
}

/**
 * Posts the payments that completed, calls the purposes of all payments and updates the customers' standings, in the
 * transaction that moved them. Returns the payments with their overpaid amounts.
 */
async function fulfil(tx: Tx, ctx: Ctx, moved: readonly Moved[]): Promise<Moved[]> {
  const splits = new Map<TransactionId, PaymentSplit>();
  for (const { payment, purposes } of moved.filter(isPaid)) {
    const split = (await purposes.find((purpose) => purpose.split)?.split?.()) ?? (await asRevenue(tx, ctx, payment));
    if (split.overpaid > 0) flagTransaction(tx, payment.id, "overpaid", split.overpaid);
    splits.set(payment.id, split);
  }
  markExempt(
    tx,
    [...splits].flatMap(([id, { taxExempt }]) => (taxExempt ? id : [])),
  );
  postEntries(
    tx,
    moved.flatMap((one) => {
      const split = splits.get(one.payment.id);
      return split ? entryOf(ctx, one, split) : [];
    }),
  );
  for (const one of moved) {
    const { payment, purposes } = one;
    const split = splits.get(payment.id);
    if (isPaid(one) && split) for (const { complete } of purposes) await complete?.(payment, split, one.fact);
    else if (isUnpaid(one)) for (const { fail } of purposes) await fail?.(payment, one.fact);
  }
  await finishPurposes(moved.flatMap(({ purposes }) => purposes));
  for (const { payment, purposes } of moved.filter(isPaid)) {
    const customerId = isSettledInSets(payment) ? null : customerOfPayment(purposes, payment);
    if (customerId) await updateStanding(tx, ctx, customerId, payment.currency);
  }
  return moved.map((one) => ({ ...one, payment: changedPayment(one, splits.get(one.payment.id)?.overpaid ?? ZERO) }));
}

const isPaid = (moved: Moved): moved is Moved<PaidFact> => moved.fact.kind === "paid";
const isUnpaid = (moved: Moved): moved is Moved<UnpaidFact> => moved.fact.kind !== "paid";

/** The payment with the fields that its purposes have changed. */
const changedPayment = ({ payment, fact, purposes }: Moved, overpaid: Cents): Transaction => ({
  ...payment,
  ...(fact.kind === "paid" ? Object.assign({}, ...purposes.map((purpose) => purpose.changes?.())) : {}),
  ...(overpaid > 0 ? { overpaid, flags: [...payment.flags, "overpaid"] } : {}),
});

/** Appends the events, and applies the reversals that were reported before the payments completed. */
async function appendEventsOf(tx: Tx, ctx: Ctx, moved: readonly Moved[]): Promise<void> {
  const records = await recordsWithCustomers(
    tx,
    ctx,
    moved.map(({ payment }) => payment),
  );
  const moves = new Map(moved.map(({ payment, fact }) => [payment.id, forward(fact)]));
  const byMove = Map.groupBy(records, ({ transaction }) => moves.get(transaction.id) ?? "complete");
  for (const [status, group] of byMove)
    appendEvents(
      tx,
      ctx.now,
      EVENT_OF[status],
      group.map((record) => ({ subject: record.transaction.reference, data: paymentEventView(record) })),
    );
  for (const { transaction, reversals } of byMove.get("complete") ?? [])
    if (reversals.length > 0) await applyWaitingReversals(tx, ctx, transaction, reversals);
}

function entryOf(ctx: Ctx, { payment, purposes }: Moved, split: PaymentSplit): NewEntry {
  return {
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
      customerId: customerOfPayment(purposes, payment),
    }),
  };
}
