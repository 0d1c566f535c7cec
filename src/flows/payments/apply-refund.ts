import { appendEvent } from "../../events/outbox.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { type Cents, subtract } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { refundPostings, reversed } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import type { Posting } from "../../modules/books/types.ts";
import { PAYMENT_PARTIALLY_REFUNDED, PAYMENT_REFUNDED } from "../../modules/payments/events.ts";
import { mismatchOf, refundFromCredit } from "../../modules/payments/rules.ts";
import { afterRefunds } from "../../modules/payments/states.ts";
import { findTransaction, flagTransaction, lockByReference, setRefundStatus } from "../../modules/payments/store.ts";
import type { NewsSource, Transaction } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import { findRefund, updateRefund } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { noteStanding } from "../customers/note-standing.ts";
import { accountOf, refundedInForce } from "./account-of-payment.ts";
import { accountMisfit, keepMisfit } from "./keep-misfit.ts";
import { recordOf } from "./transaction-record.ts";

/** The refund counts from now on: status, books, event. */
export async function refundTakesEffect(tx: Tx, ctx: Ctx, transaction: Transaction, refund: Refund): Promise<void> {
  const total = await refundedInForce(tx, transaction);
  const status = afterRefunds(transaction.amount, total);
  setRefundStatus(tx, transaction.id, status);
  const customerId = await accountOf(tx, transaction);
  postEntry(tx, {
    kind: "refund",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Refund ${refund.refundNumber}`,
    currency: refund.currency,
    postings: postingsOf(transaction, refund, subtract(total, refund.amount), customerId),
  });
  if (customerId) await noteStanding(tx, ctx, customerId);
  const record = await recordOf(tx, ctx, { ...transaction, status });
  appendEvent(
    tx,
    ctx.now,
    status === "refunded" ? PAYMENT_REFUNDED : PAYMENT_PARTIALLY_REFUNDED,
    transaction.reference,
    paymentEventView(record),
  );
}

/** What the refund takes beside the `others` in force, out of the credit that the payment makes at this moment first. */
function postingsOf(
  transaction: Transaction,
  refund: Refund,
  others: Cents,
  customerId: CustomerId | null,
): readonly Posting[] {
  const fromCredit = refundFromCredit(transaction.overpaid, others, refund.amount);
  return refundPostings({ ...refund, fromCredit, through: refund.method, customerId });
}

/**
 * A gateway accepted the refund and then could not make it: the money stays with the merchant, and staff are told by the flag. It goes
 * back to where the refund would take it from now: other refunds may have come since, or the invoice may have been cancelled.
 */
async function undo(tx: Tx, ctx: Ctx, transaction: Transaction, refund: Refund): Promise<void> {
  const others = await refundedInForce(tx, transaction);
  setRefundStatus(tx, transaction.id, afterRefunds(transaction.amount, others));
  flagTransaction(tx, transaction.id, "refund_failed");
  const customerId = await accountOf(tx, transaction);
  postEntry(tx, {
    kind: "refund_reversal",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Reversal of refund ${refund.refundNumber}`,
    currency: refund.currency,
    postings: reversed(postingsOf(transaction, refund, others, customerId)),
  });
  if (customerId) await noteStanding(tx, ctx, customerId);
}

/** Who tells of a refund, and how it was learnt. */
interface Teller {
  readonly accountId: string;
  readonly source: NewsSource;
}

/**
 * News of a refund, from the answer to our request, a notification or a query. Each step forward happens once: requested, then pending,
 * then processed or failed. Unknown refunds are none of ours. News of another amount or from another account is a mismatch: kept and
 * flagged, never applied.
 */
export async function applyRefundFact(
  tx: Tx,
  ctx: Ctx,
  { accountId, source }: Teller,
  fact: RefundFact,
): Promise<"applied" | "repeated" | "unknown" | "mismatch"> {
  const known = await findRefund(tx, { id: fact.refundId, providerRef: fact.providerRefundRef });
  const owner = known && (await findTransaction(tx, known.transactionId));
  const transaction = owner && (await lockByReference(tx, owner.reference));
  const refund = transaction && (await findRefund(tx, { id: known.id, providerRef: null }));
  if (!refund) return "unknown";
  const { currency } = refund;
  const misfit =
    accountMisfit(transaction, accountId) ??
    (fact.amount === null ? null : mismatchOf(refund, { amount: fact.amount, currency }));
  if (misfit) return keepMisfit(tx, ctx, transaction, { accountId, fact, source, misfit });
  if (refund.status === "processed" || refund.status === "failed") return "repeated";
  const providerRef = fact.providerRefundRef ?? refund.providerRef;
  if (fact.kind === "refused") await refundFails(tx, ctx, transaction, { ...refund, providerRef }, fact.reason);
  else await refundAccepted(tx, ctx, transaction, { ...refund, providerRef }, fact.kind);
  return "applied";
}

async function refundFails(tx: Tx, ctx: Ctx, transaction: Transaction, refund: Refund, failure: string | null) {
  updateRefund(tx, { ...refund, status: "failed", failure });
  cancelWork(tx, "refund.check", refund.id);
  if (refund.status === "pending") await undo(tx, ctx, transaction, refund);
}

async function refundAccepted(
  tx: Tx,
  ctx: Ctx,
  transaction: Transaction,
  refund: Refund,
  status: "pending" | "processed",
) {
  const accepted: Refund = { ...refund, status, processedAt: status === "processed" ? ctx.now : null };
  updateRefund(tx, accepted);
  if (status === "processed") cancelWork(tx, "refund.check", refund.id);
  if (refund.status === "requested") await refundTakesEffect(tx, ctx, transaction, accepted);
}
