import type { Refund } from "../../domain/refunds.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import { mismatchOf } from "../../modules/payments/rules.ts";
import { findTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { REFUND_CHECK } from "../../modules/refunds/declarations.ts";
import { mayBe } from "../../modules/refunds/rules.ts";
import { moveRefund } from "../../modules/refunds/states.ts";
import { findRefund, findRefundByProviderRef, refundsOf, updateRefund } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { expectRefundReports } from "./expect-refund-reports.ts";
import {
  appendRefundEvent,
  lockPaymentForRefund,
  postRefund,
  type RefundedPayment,
  reverseRefund,
} from "./post-refund.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";
import { bookElsewhere, paymentOfRefund } from "./refund-elsewhere.ts";

/** The refund that a report is about; `unsure` when it may be one of several; null when no known refund fits. */
type Identified = Refund | "unsure" | null;

/** Finds a refund by our id, or by the gateway account's. */
async function findNamed(
  tx: Tx,
  accountId: string,
  { refundId, providerRefundRef }: RefundFact,
): Promise<Refund | null> {
  const ours = refundId === null ? null : await findRefund(tx, refundId);
  return ours ?? (providerRefundRef === null ? null : findRefundByProviderRef(tx, accountId, providerRefundRef));
}

/**
 * Finds which refund of the payment a report means when it names none: the one refund with that amount. When several
 * have it, or the report would fail a processed refund, enqueues a query to the gateway about each
 * (decisions.md#refunds-made-elsewhere). Locks nothing.
 */
async function findAlike(
  tx: Tx,
  { now }: Ctx,
  payment: Pick<Transaction, "id">,
  fact: RefundFact,
): Promise<Identified> {
  // What is left of the payment already counts every known refund.
  if (fact.whole) return null;
  const alike = (await refundsOf(tx, [payment.id])).filter((refund) => mayBe(refund, fact));
  const requested = alike.filter(({ method }) => method === "gateway");
  const [first, ...others] = requested.length > 0 ? requested : alike.slice(0, 1);
  if (!first) return null;
  const isSettled = [first, ...others].every(({ status }) => moveRefund(status, fact.kind) === null);
  const failsProcessed = fact.kind === "refused" && first.status === "processed";
  if (isSettled || (others.length === 0 && !failsProcessed)) return first;
  for (const { id, status } of requested) if (status !== "failed") enqueue(tx, REFUND_CHECK, id, now);
  return "unsure";
}

/**
 * Applies a fact about a refund: an answer to our request, a notification, a query or a statement. A refund moves
 * forward only (requested, pending, processed, failed), and each step happens once. An unknown refund was made in the
 * gateway's own dashboard (decisions.md#refunds-made-elsewhere). Every fact is recorded with its outcome. A fact with
 * another amount or from another gateway account is flagged, not applied. Locks as `lockPaymentForRefund`.
 */
export async function applyRefundFact(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: RefundFact,
): Promise<FactOutcome> {
  const { accountId } = reportedBy;
  const reported = { reportedBy, fact };
  const named = await findNamed(tx, accountId, fact);
  const found = named ? await findTransaction(tx, named.transactionId) : await paymentOfRefund(tx, accountId, fact);
  const payment = found && (await lockPaymentForRefund(tx, ctx, found));
  if (!payment) return recordFact(tx, ctx, null, reported, "unknown_reference", "no payment has this refund");
  // Read again under the lock: another report may have booked it.
  const known = (await findNamed(tx, accountId, fact)) ?? (await findAlike(tx, ctx, found, fact));
  if (known === "unsure")
    return recordFact(tx, ctx, found, reported, "unknown_reference", "several refunds have this amount");
  return known ? move(tx, ctx, payment, reported, known) : bookElsewhere(tx, ctx, payment, reported);
}

/** Moves a known refund of a locked payment as the report says. */
async function move(
  tx: Tx,
  ctx: Ctx,
  payment: RefundedPayment,
  reported: { readonly reportedBy: ReportedBy; readonly fact: RefundFact },
  refund: Refund,
): Promise<FactOutcome> {
  const { transaction } = payment;
  const { reportedBy, fact } = reported;
  const { currency } = refund;
  const mismatch =
    gatewayAccountMismatch(transaction, reportedBy.accountId) ??
    (fact.amount === null ? null : mismatchOf(refund, { amount: fact.amount, currency: fact.currency ?? currency }));
  if (mismatch) return recordMismatch(tx, ctx, transaction, reported, mismatch);
  const providerRef = refund.providerRef ?? fact.providerRefundRef;
  const status = moveRefund(refund.status, fact.kind);
  if (!status) {
    if (providerRef !== refund.providerRef) updateRefund(tx, { ...refund, providerRef });
    return recordFact(tx, ctx, transaction, reported, "repeated");
  }
  const after: Refund = {
    ...refund,
    status,
    providerRef: fact.providerRefundRef ?? refund.providerRef,
    failure: status === "failed" ? fact.reason : null,
    processedAt: status === "processed" ? ctx.now : null,
  };
  updateRefund(tx, after);
  if (status !== "pending") cancelWork(tx, REFUND_CHECK, refund.id);
  const counted = refund.status !== "requested";
  if (status === "failed" && counted) await reverseRefund(tx, ctx, payment, after);
  if (status !== "failed" && !counted) await postRefund(tx, ctx, payment, after);
  if (status !== "pending") {
    const moved = await findTransaction(tx, transaction.id);
    await appendRefundEvent(tx, ctx, status, moved ?? transaction, after);
  }
  await expectRefundReports(tx, ctx, [transaction]);
  return recordFact(tx, ctx, transaction, reported, "applied");
}
