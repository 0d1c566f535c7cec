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
import type { SandboxPaymentRecord, SandboxRefundRecord, SandboxStep } from "../../modules/sandbox-gateway/types.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { lostAnswer, stepFor } from "./outcomes.ts";
import { paymentOf } from "./payment-records.ts";

/** Why a refund is refused, by what the gateway was told. */
const REFUSALS: Readonly<Partial<Record<SandboxStep["outcome"], string>>> = {
  declined: "The bank refused the refund.",
  insufficient_funds: "The merchant's balance is too low for the refund.",
  card_error: "The card takes no refund.",
};

/**
 * `POST /refunds`: processed at once; the same request again returns the same record. Locks the payment. Throws 404 for
 * an unknown payment, 409 when it cannot be refunded.
 */
export async function refundPayment(
  services: Services,
  merchant: SandboxMerchant,
  request: RefundRequest,
): Promise<Refund> {
  const { ctx, account } = merchant;
  const answer = await services.db.transaction(ctx.organisation.id, async (tx) => {
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
    const step = await stepFor(tx, { kinds: ["refund"], reference: payment.reference, now: ctx.now });
    const refused = step && REFUSALS[step.outcome];
    if (refused) return new ApiError("invalid_state", 409, refused);
    insertSandboxRefund(tx, refund);
    if (step?.outcome === "unclear") return lostAnswer();
    const view = refundView(refund, payment);
    return step?.outcome === "pending" ? { ...view, status: "pending" as const } : view;
  });
  // Returned, not thrown, out of the transaction: the step stays used.
  if (answer instanceof ApiError) throw answer;
  return answer;
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
