import type { RefundFact } from "../../gateways/facts.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
import { ApiError, invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { type Cents, formatMoney, toRand } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { addSeconds } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { refundableAmount, refundedAmount } from "../../modules/payments/rules.ts";
import { isRefundable } from "../../modules/payments/states.ts";
import { findByReference, findTransaction } from "../../modules/payments/store.ts";
import type { TransactionRecord } from "../../modules/payments/types.ts";
import { REFUND_CHECK } from "../../modules/refunds/declarations.ts";
import { insertRefund, refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { callOf, gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { applyRefundFact, lockToRefund, refundTakesEffect } from "./apply-refund.ts";
import { CHECK_AFTER_SECONDS, type RecordedRefund, requestOf } from "./check-refund.ts";
import { recordOf } from "./transaction-record.ts";

/** Interface 14.2, `POST /transactions/{reference}/refunds`. */
export interface RefundOrder {
  /** Null: the rest. */
  readonly amount: Cents | null;
  readonly reason: string | null;
  /** Null: through the gateway where it can, by hand otherwise. */
  readonly method: "gateway" | "manual" | null;
}

/**
 * Gives money back (interface 3.1). Throws 404 for an unknown reference, 400 when it exceeds what is left or the state does not allow it,
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
    const reportedBy = { accountId: recorded.account.id, source: "query" } as const;
    const outcome =
      fact &&
      (await services.db.transaction(organisation.id, (tx) =>
        applyRefundFact(tx, ctx, reportedBy, { ...fact, refundId: recorded.refund.id }),
      ));
    if (fact?.kind === "refused" && outcome === "applied")
      throw new ApiError(
        "gateway_error",
        502,
        `Nothing was refunded, since the gateway refused: ${fact.reason ?? "it gave no reason."}`,
      );
  }
  return services.db.read(organisation.id, async (tx) => {
    const transaction = await findTransaction(tx, recorded.transaction.id);
    if (!transaction) throw notFound("transaction");
    return recordOf(tx, ctx, transaction);
  });
}

async function recordRequest(tx: Tx, ctx: Ctx, reference: string, order: RefundOrder): Promise<RecordedRefund> {
  const found = await findByReference(tx, reference);
  const payment = found && (await lockToRefund(tx, found));
  if (!payment) throw notFound("transaction");
  const { transaction } = payment;
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
    before: { status: transaction.status, refundedAmount: toRand(refundedAmount(before)) },
    after: {
      refundNumber: refund.refundNumber,
      amount: toRand(amount),
      currency: refund.currency,
      method,
      reason: order.reason,
    },
  });
  if (method === "manual") await refundTakesEffect(tx, ctx, payment, refund);
  else enqueue(tx, REFUND_CHECK, refund.id, addSeconds(ctx.now, CHECK_AFTER_SECONDS));
  return { refund, transaction, account };
}

async function callGateway(services: Services, ctx: Ctx, recorded: RecordedRefund): Promise<RefundFact | null> {
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
