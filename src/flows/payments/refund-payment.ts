import type { Refund } from "../../domain/refunds.ts";
import type { RefundRequest } from "../../gateways/contract.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
import { refusedRefund } from "../../gateways/refusals.ts";
import { requireWhole } from "../../kernel/amount-in.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError, invalid, invalidField, notFound } from "../../kernel/errors.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { type Cents, toRand } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import { isRefundable } from "../../modules/payments/states.ts";
import { findByReference, findTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import { REFUND_CHECK } from "../../modules/refunds/declarations.ts";
import { isDecided, nextCheck } from "../../modules/refunds/rules.ts";
import { findRefund, insertRefund, refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf, isManualTransfer, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { identityOf } from "../gateways/payment-identity.ts";
import type { Services } from "../services.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { limitOfRefund } from "./left-to-refund.ts";
import { appendRefundEvent, lockPaymentForRefund, postRefund } from "./post-refund.ts";
import { postElsewhere, refundNumber } from "./refund-elsewhere.ts";
import { recordOf } from "./transaction-record.ts";

/** The body of `POST /transactions/{reference}/refunds` (interface 14.2). */
export interface NewRefund {
  /** The amount in cents; null refunds all that is left. */
  readonly amount: Cents | null;
  readonly reason: string | null;
  /** Null uses the gateway if it can refund, else a manual refund. */
  readonly method: "gateway" | "manual" | null;
  /** Whether the refund was made in the gateway's own dashboard already: it is booked, not requested. */
  readonly madeElsewhere?: boolean;
  /** Whether a credit note of the payment's invoice is issued for it (`creditNotePurpose`). */
  readonly creditNote?: boolean;
}

/** A refund that was recorded. */
export interface RecordedRefund {
  readonly refund: Refund;
  readonly transaction: Transaction;
  /** The payment with the refund; null while the gateway has to make it. */
  readonly made: TransactionRecord | null;
  /** What the audit log records. */
  readonly audit: { readonly subject: string; readonly before: object; readonly after: object };
}

/**
 * First step of a refund (interface 3.1): records it. A manual refund, and one that was made elsewhere, is posted at
 * once; one through the gateway is then requested (`askForRefund`) and settled (`settleRefund`). Locks as
 * `lockPaymentForRefund`. Throws 404 for an unknown reference; 400 for an amount above what is left, for a payment that
 * cannot be refunded, and for one that a credit note has given back (decisions.md#set-up-is-not-refunded).
 */
export async function recordRefund(tx: Tx, ctx: Ctx, reference: string, order: NewRefund): Promise<RecordedRefund> {
  const found = await findByReference(tx, reference);
  const payment = found && (await lockPaymentForRefund(tx, ctx, found));
  if (!payment) throw notFound("transaction");
  const { transaction } = payment;
  if (!isRefundable(transaction.status))
    throw invalid(`A ${transaction.status.replace("_", " ")} payment cannot be refunded.`);
  const { madeElsewhere = false, creditNote = false } = order;
  if (creditNote && transaction.invoiceId === null)
    throw invalidField(
      ["creditNote"],
      "The payment has no invoice, so there is nothing to credit. Leave creditNote out.",
    );
  const [{ left, credited, refunds: others, ...refusals }, account] = await Promise.all([
    limitOfRefund(tx, payment, { madeElsewhere }),
    findGatewayAccount(tx, transaction.gatewayAccountId),
  ]);
  if (!account) throw notFound("gateway account");
  if (credited !== null)
    throw invalid(`This payment cannot be refunded: credit note ${credited} has given it back to the customer.`);
  const amount = order.amount ?? left;
  if (left <= 0) throw invalid(refusals.nothing);
  if (amount > left) throw invalidField(["amount"], refusals.most);
  requireWhole(transaction.currency, amount, ["amount"], left);
  const method = methodOf(account, order);
  const made = method === "manual" || madeElsewhere;
  const refund: Refund = {
    id: newId("ref"),
    transactionId: transaction.id,
    refundNumber: refundNumber(transaction, others),
    amount,
    currency: transaction.currency,
    method,
    madeElsewhere,
    withCreditNote: creditNote,
    status: made ? "processed" : "requested",
    reason: order.reason,
    providerRef: null,
    failure: null,
    processedAt: made ? ctx.now : null,
    createdAt: ctx.now,
  };
  insertRefund(tx, refund);
  if (refund.madeElsewhere) await postElsewhere(tx, ctx, payment, refund);
  else if (made) await postRefund(tx, ctx, payment, refund);
  else enqueue(tx, REFUND_CHECK, refund.id, nextCheck(ctx.now, ctx.now));
  const before = { status: transaction.status, refundedAmount: toRand(refundedAmount(others)) };
  const record = made ? await recordById(tx, ctx, transaction.id) : null;
  await appendRefundEvent(tx, ctx, "created", record?.transaction ?? transaction, refund);
  if (record) await appendRefundEvent(tx, ctx, "processed", record.transaction, refund);
  const after = {
    status: record?.transaction.status ?? transaction.status,
    refundedAmount: toRand(refundedAmount([...others, refund])),
    refundNumber: refund.refundNumber,
    amount: toRand(amount),
    currency: refund.currency,
    method,
    ...(madeElsewhere ? { madeElsewhere: true } : {}),
    ...(creditNote ? { creditNote: true } : {}),
    reason: order.reason,
  };
  return { refund, transaction, made: record, audit: { subject: reference, before, after } };
}

/**
 * How a refund is made. Throws 400 when the gateway cannot make it, or has no dashboard in which it could have been
 * made.
 */
function methodOf(account: GatewayAccount, { method, madeElsewhere }: NewRefund): Refund["method"] {
  if (madeElsewhere && (method === "manual" || isManualTransfer(account.type)))
    throw invalidField(
      ["madeElsewhere"],
      "A refund by hand was not made at the gateway. Record it with method manual, without madeElsewhere.",
    );
  if (madeElsewhere) return "gateway";
  const able = gatewayOf(account).adapter.refunds !== undefined;
  if (method === "gateway" && !able)
    throw invalidField(
      ["method"],
      "This gateway cannot refund. Refund it in its dashboard and record it with madeElsewhere, or give the money " +
        "back by hand and record it with method manual.",
    );
  return method ?? (able ? "gateway" : "manual");
}

/**
 * Second step, outside of any transaction: requests the refund from the gateway. With `again`, an earlier request may
 * have been sent: the gateway is first asked about the refund, and the refund is requested only when the gateway does
 * not know it, under the same id, so that it cannot be made twice. A refund that was processed, or made elsewhere, is
 * only asked about, since it may still fail. A first request that was not sent is refused; with `again` an earlier one
 * may have been sent. Null when there is nothing to ask.
 */
export async function askForRefund(
  services: Services,
  ctx: Ctx,
  refundId: string,
  again: boolean,
): Promise<RefundFact | Unclear | null> {
  const open = await services.db.read(ctx.organisation.id, (tx) => findAskedRefund(tx, refundId));
  const { refunds } = open ? gatewayOf(open.account).adapter : { refunds: undefined };
  if (!open || !refunds || (open.refund.status === "processed" && !again)) return null;
  const { refund, transaction, account, isFurther } = open;
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const request: RefundRequest = {
    payment: identityOf(transaction),
    refundId: refund.id,
    amount: refund.amount,
    reason: refund.reason,
    isFurther,
    requestedAt: refund.createdAt,
    notifyUrl: notifyUrlOf(ctx, account),
  };
  const ask = async (): Promise<RefundFact> => {
    const known = again ? await refunds.query({ ...request, providerRefundRef: refund.providerRef }, call) : null;
    if (!known && (refund.status === "processed" || refund.madeElsewhere))
      throw new GatewayUnclear("The gateway does not know a refund that it made.");
    const answer = known ?? (await refunds.refund(request, call));
    if (answer.refundId !== null && answer.refundId !== refund.id)
      throw new GatewayUnclear("The gateway answered about another refund.");
    return { ...answer, refundId: refund.id };
  };
  const notSent = () =>
    refusedRefund(request, "The refund could not be sent to the gateway. Try again later.", "not sent");
  return askGateway(services, { refund: refund.id, gateway: account.id }, ask, again ? undefined : notSent);
}

/** A refund through a gateway, with its payment and account; null when it has failed. */
async function findAskedRefund(tx: Tx, refundId: string) {
  const refund = await findRefund(tx, refundId);
  if (refund?.method !== "gateway" || refund.status === "failed") return null;
  const transaction = await findTransaction(tx, refund.transactionId);
  const account = transaction && (await findGatewayAccount(tx, transaction.gatewayAccountId));
  const others = await refundsOf(tx, [refund.transactionId]);
  const isFurther = others.some(
    ({ id, method, madeElsewhere, status }) =>
      id < refund.id && (method === "gateway" || madeElsewhere) && status !== "failed",
  );
  return account && { refund, transaction, account, isFurther };
}

/**
 * Third step: applies the gateway's answer; null applies nothing. While the answer is unclear the refund stays pending
 * and due work asks about it. Returns the payment, or the error 502 `gateway_error` when the gateway refused. Locks as
 * `lockPaymentForRefund`.
 */
export async function settleRefund(
  tx: Tx,
  ctx: Ctx,
  refundId: string,
  answer: RefundFact | Unclear | null,
): Promise<TransactionRecord | ApiError> {
  const refund = await applyAnswer(tx, ctx, refundId, answer);
  assert(refund, "a recorded refund stays");
  if (refund.status !== "failed") return recordById(tx, ctx, refund.transactionId);
  const why = refund.failure ?? "it gave no reason.";
  return new ApiError("gateway_error", 502, `Nothing was refunded, since the gateway refused: ${why}`);
}

/**
 * For due work: asks the gateway about an undecided refund, requests it again when the gateway does not know it, and
 * applies the answer. Returns when to ask next, or null when the refund is decided or does not exist.
 */
export async function checkRefund(services: Services, ctx: Ctx, refundId: string): Promise<Instant | null> {
  const answer = await askForRefund(services, ctx, refundId, true);
  const refund = await services.db.transaction(ctx.organisation.id, (tx) => applyAnswer(tx, ctx, refundId, answer));
  return !refund || isDecided(refund) ? null : nextCheck(refund.createdAt, ctx.now);
}

/** The refund after the answer; null when there is none. */
async function applyAnswer(
  tx: Tx,
  ctx: Ctx,
  refundId: string,
  answer: RefundFact | Unclear | null,
): Promise<Refund | null> {
  const asked = await findRefund(tx, refundId);
  if (!asked || answer === null || answer === "unclear") return asked;
  const payment = await findTransaction(tx, asked.transactionId);
  assert(payment, "a payment that was refunded stays");
  await applyRefundFact(tx, ctx, { accountId: payment.gatewayAccountId, source: "query" }, answer);
  return findRefund(tx, refundId);
}

async function recordById(tx: Tx, ctx: Ctx, id: TransactionId): Promise<TransactionRecord> {
  const transaction = await findTransaction(tx, id);
  assert(transaction, "a payment that was refunded stays");
  return recordOf(tx, ctx, transaction);
}
