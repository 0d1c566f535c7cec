import { appendEvent } from "../../events/outbox.ts";
import type { RefundRequest } from "../../gateways/contract.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
import { ApiError, invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { type Cents, formatMoney, subtract } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addSeconds, type Instant } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { refundPostings } from "../../modules/books/rules.ts";
import { postEntry, reverseEntry } from "../../modules/books/store.ts";
import { lockCustomer } from "../../modules/customers/store.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { refundableAmount, refundedAmount, refundFromCredit } from "../../modules/payments/rules.ts";
import { afterRefunds, isRefundable } from "../../modules/payments/states.ts";
import { findTransaction, flagTransaction, lockByReference, setRefundStatus } from "../../modules/payments/store.ts";
import type { Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import { findRefund, insertRefund, refundsOf, updateRefund } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { callOf, gatewayOf, notifyUrlOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { noteStanding } from "../steps/note-standing.ts";
import { identityOf } from "./check-payment.ts";
import { recordOf } from "./transaction-record.ts";

/** Contract 5, `POST /transactions/{reference}/refunds`. */
export interface RefundOrder {
  /** Null: the rest. */
  readonly amount: Cents | null;
  readonly reason: string | null;
  /** Null: through the gateway where it can, by hand otherwise. */
  readonly method: "gateway" | "manual" | null;
}

const CHECK_AFTER_SECONDS = 60;

interface Recorded {
  readonly refund: Refund;
  readonly transaction: Transaction;
  readonly account: GatewayAccount;
}

/**
 * Gives money back (spec 3.1). Throws 404 for an unknown reference, 400 when it exceeds what is left or the state does not allow it,
 * 502 `gateway_error` when the gateway refuses; while its answer is unclear the refund shows as pending and is asked about.
 */
export async function recordRefund(
  services: Services,
  ctx: Ctx,
  reference: string,
  order: RefundOrder,
): Promise<TransactionRecord> {
  const { organisation } = ctx;
  const recorded = await services.db.transaction(organisation.id, (tx) => recordRequest(tx, ctx, reference, order));
  if (recorded.refund.method === "gateway") {
    const fact = await callGateway(services, ctx, recorded);
    if (fact)
      await services.db.transaction(organisation.id, (tx) =>
        applyRefundFact(tx, ctx, { ...fact, refundId: recorded.refund.id }),
      );
    if (fact?.kind === "refused")
      throw new ApiError(
        "gateway_error",
        502,
        `The gateway refused the refund: ${fact.reason ?? "no reason given"}. Nothing was refunded.`,
      );
  }
  return services.db.read(organisation.id, async (tx) => {
    const transaction = await findTransaction(tx, recorded.transaction.id);
    if (!transaction) throw notFound("transaction");
    return recordOf(tx, transaction);
  });
}

async function recordRequest(tx: Tx, ctx: Ctx, reference: string, order: RefundOrder): Promise<Recorded> {
  const transaction = await lockByReference(tx, reference);
  if (!transaction) throw notFound("transaction");
  if (!isRefundable(transaction.status))
    throw invalid(`A ${transaction.status.replace("_", " ")} payment cannot be refunded.`);
  const [before, account] = await Promise.all([
    refundsOf(tx, [transaction.id]),
    findGatewayAccount(tx, transaction.gatewayAccountId),
  ]);
  if (!account) throw notFound("gateway account");
  const left = refundableAmount(transaction, before);
  const amount = order.amount ?? left;
  if (left <= 0) throw invalid("Nothing is left to refund on this payment.");
  if (amount > left)
    throw invalidField(["amount"], `At most ${formatMoney(left, transaction.currency)} is left to refund.`);
  const able = gatewayOf(account).adapter.refunds !== undefined;
  if (order.method === "gateway" && !able)
    throw invalidField(
      ["method"],
      "This gateway cannot refund. Give the money back by hand and record it with method manual.",
    );
  const method = order.method ?? (able ? "gateway" : "manual");
  const refund: Refund = {
    id: newId("ref"),
    transactionId: transaction.id,
    refundNumber: `${transaction.reference}-R${before.length + 1}`,
    amount,
    currency: transaction.currency,
    method,
    status: method === "manual" ? "processed" : "requested",
    reason: order.reason,
    providerRef: null,
    failure: null,
    processedAt: method === "manual" ? ctx.now : null,
    createdAt: ctx.now,
  };
  insertRefund(tx, refund);
  recordAudit(tx, {
    ...ctx,
    action: "POST /transactions/{reference}/refunds",
    subject: reference,
    before: null,
    after: order,
  });
  if (method === "manual") await takeEffect(tx, ctx, transaction, refund);
  else enqueue(tx, "refund.check", refund.id, addSeconds(ctx.now, CHECK_AFTER_SECONDS));
  return { refund, transaction, account };
}

/** The refund counts from now on: status, books, event. */
async function takeEffect(tx: Tx, ctx: Ctx, transaction: Transaction, refund: Refund): Promise<void> {
  const total = await refundedInForce(tx, transaction);
  const status = afterRefunds(transaction.amount, total);
  setRefundStatus(tx, transaction.id, status);
  const fromCredit = refundFromCredit(transaction.overpaid, subtract(total, refund.amount), refund.amount);
  postEntry(tx, {
    kind: "refund",
    subject: refund.id,
    occurredAt: ctx.now,
    description: `Refund ${refund.refundNumber}`,
    currency: refund.currency,
    postings: refundPostings({ ...refund, fromCredit, through: refund.method, customerId: transaction.customerId }),
  });
  const customer = transaction.customerId ? await lockCustomer(tx, transaction.customerId) : null;
  if (customer) await noteStanding(tx, ctx, customer);
  const record = await recordOf(tx, { ...transaction, status });
  appendEvent(
    tx,
    ctx.now,
    status === "refunded" ? "payment.refunded" : "payment.partially_refunded",
    transaction.reference,
    paymentEventView(record),
  );
}

/** What accepted refunds have given back. */
async function refundedInForce(tx: Tx, transaction: Transaction): Promise<Cents> {
  const refunds = await refundsOf(tx, [transaction.id]);
  return refundedAmount(refunds.filter((refund) => refund.status === "pending" || refund.status === "processed"));
}

/** A gateway accepted the refund and then could not make it: the money stays with the merchant, and staff are told by the flag. */
async function undo(tx: Tx, ctx: Ctx, transaction: Transaction, refund: Refund): Promise<void> {
  setRefundStatus(tx, transaction.id, afterRefunds(transaction.amount, await refundedInForce(tx, transaction)));
  flagTransaction(tx, transaction.id, "refund_failed");
  await reverseEntry(tx, { kind: "refund", subject: refund.id, as: "refund_reversal", occurredAt: ctx.now });
  const customer = transaction.customerId ? await lockCustomer(tx, transaction.customerId) : null;
  if (customer) await noteStanding(tx, ctx, customer);
}

/**
 * News of a refund, from the answer to our request, a notification or a query. Each step forward happens once: requested, then pending,
 * then processed or failed. Unknown refunds are none of ours.
 */
export async function applyRefundFact(tx: Tx, ctx: Ctx, fact: RefundFact): Promise<void> {
  const known = await findRefund(tx, { id: fact.refundId, providerRef: fact.providerRefundRef });
  if (!known) return;
  const owner = await findTransaction(tx, known.transactionId);
  const transaction = owner && (await lockByReference(tx, owner.reference));
  const refund = transaction && (await findRefund(tx, { id: known.id, providerRef: null }));
  if (!refund || refund.status === "processed" || refund.status === "failed") return;
  const providerRef = fact.providerRefundRef ?? refund.providerRef;
  if (fact.kind === "refused") {
    updateRefund(tx, { ...refund, status: "failed", providerRef, failure: fact.reason });
    cancelWork(tx, "refund.check", refund.id);
    if (refund.status === "pending") await undo(tx, ctx, transaction, refund);
    return;
  }
  const processed = fact.kind === "processed";
  const accepted: Refund = {
    ...refund,
    status: processed ? "processed" : "pending",
    providerRef,
    processedAt: processed ? ctx.now : null,
  };
  updateRefund(tx, accepted);
  if (processed) cancelWork(tx, "refund.check", refund.id);
  if (refund.status === "requested") await takeEffect(tx, ctx, transaction, accepted);
}

async function callGateway(services: Services, ctx: Ctx, recorded: Recorded): Promise<RefundFact | null> {
  const { refunds } = gatewayOf(recorded.account).adapter;
  if (!refunds) return null;
  try {
    return await refunds.refund(
      requestOf(services, recorded),
      callOf(services, ctx.organisation, recorded.account, ctx.now),
    );
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    services.log.warn({ refund: recorded.refund.id, why: error.message }, "gateway did not answer a refund");
    return null;
  }
}

const requestOf = (services: Services, { refund, transaction, account }: Recorded): RefundRequest => ({
  payment: identityOf(transaction),
  refundId: refund.id,
  amount: refund.amount,
  reason: refund.reason,
  notifyUrl: notifyUrlOf(services, account),
});

/**
 * Asks about a refund that is not clear yet; one that the gateway does not know is put to it again, under the same id, so that it
 * cannot be made twice. Answers when to ask again, or null when it is clear.
 */
export async function checkRefund(services: Services, ctx: Ctx, refundId: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const recorded = await services.db.read(organisation.id, async (tx): Promise<Recorded | null> => {
    const refund = await findRefund(tx, { id: refundId, providerRef: null });
    if (!refund || refund.status === "processed" || refund.status === "failed") return null;
    const transaction = await findTransaction(tx, refund.transactionId);
    const account = transaction && (await findGatewayAccount(tx, transaction.gatewayAccountId));
    return account && { refund, transaction, account };
  });
  if (!recorded) return null;
  const { refund, account } = recorded;
  const { refunds } = gatewayOf(account).adapter;
  const again = addSeconds(
    now,
    Math.min(86_400, CHECK_AFTER_SECONDS + (now.getTime() - refund.createdAt.getTime()) / 1000),
  );
  try {
    const call = callOf(services, organisation, account, now);
    const known = await refunds?.query(
      { ...requestOf(services, recorded), providerRefundRef: refund.providerRef },
      call,
    );
    const fact = known ?? (await refunds?.refund(requestOf(services, recorded), call));
    if (!fact) return again;
    await services.db.transaction(organisation.id, (tx) => applyRefundFact(tx, ctx, { ...fact, refundId: refund.id }));
    return fact.kind === "pending" ? again : null;
  } catch (error) {
    if (!(error instanceof GatewayUnclear)) throw error;
    return again;
  }
}
