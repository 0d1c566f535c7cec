import { newSandboxId, refundFault } from "../../gateways/sandbox/server.ts";
import type { Refund, RefundRequest } from "../../gateways/sandbox/wire.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { cents } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import {
  findSandboxPayment,
  findSandboxRefund,
  insertSandboxRefund,
  lockSandboxPayment,
  sandboxRefunded,
} from "../../modules/sandbox-gateway/store/payments.ts";
import type { SandboxPaymentRecord, SandboxRefundRecord } from "../../modules/sandbox-gateway/types.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { paymentOf } from "./payment-records.ts";

/**
 * `POST /refunds`: processed at once; the same request again returns the same record. Locks the payment. Throws 404 for
 * an unknown payment, 409 when it cannot be refunded.
 */
export function refundPayment(services: Services, merchant: SandboxMerchant, request: RefundRequest): Promise<Refund> {
  const { ctx, account } = merchant;
  return services.db.transaction(ctx.organisation.id, async (tx) => {
    const payment = await lockSandboxPayment(tx, account.id, request.paymentId ?? request.reference);
    if (!payment) throw notFound("payment");
    const amount = cents(request.amount);
    const [known, before] = await Promise.all([
      findSandboxRefund(tx, request.refundId),
      sandboxRefunded(tx, payment.id),
    ]);
    if (known && (known.paymentId !== payment.id || known.amount !== amount))
      throw new ApiError("invalid_state", 409, "This id stands for another refund.");
    if (known) return refundView(known, payment);
    const fault = refundFault(paymentOf(payment), before, amount);
    if (fault) throw new ApiError("invalid_state", 409, fault);
    const refund: SandboxRefundRecord = {
      id: newSandboxId("sbr"),
      paymentId: payment.id,
      refundId: request.refundId,
      amount,
      reason: request.reason,
      createdAt: ctx.now,
    };
    insertSandboxRefund(tx, refund);
    return refundView(refund, payment);
  });
}

/** `GET /refunds/{refundId}`; null when there is none. */
export function findRefund(services: Services, merchant: SandboxMerchant, refundId: string): Promise<Refund | null> {
  return services.db.read(merchant.ctx.organisation.id, async (tx) => {
    const refund = await findSandboxRefund(tx, refundId);
    const payment = refund && (await findSandboxPayment(tx, merchant.account.id, refund.paymentId));
    return payment && refundView(refund, payment);
  });
}

const refundView = (refund: SandboxRefundRecord, payment: SandboxPaymentRecord): Refund => ({
  id: refund.id,
  refundId: refund.refundId,
  reference: payment.reference,
  amount: refund.amount,
  status: "processed",
  reason: refund.reason,
  occurredAt: toTimestamp(refund.createdAt),
});
