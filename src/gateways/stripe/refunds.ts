import { truncate } from "../../kernel/text.ts";
import type { GatewayCall, PaymentIdentity, RefundAbility } from "../contract.ts";
import { beforehand } from "../http.ts";
import { refusedRefund } from "../refusals.ts";
import { ask } from "./client.ts";
import { refundFact } from "./facts.ts";
import { findInvoice, findSession, known, refundsOfIntent } from "./queries.ts";
import * as wire from "./wire.ts";

const METADATA_CHARACTERS = 500;

/** The payment intent of a payment, which may be known by its subscription's invoice or its session; null when Stripe has none. */
async function intentOf({ providerRef, checkoutRef }: PaymentIdentity, call: GatewayCall): Promise<string | null> {
  if (providerRef?.startsWith("pi_")) return providerRef;
  if (providerRef?.startsWith("in_")) return (await findInvoice(providerRef, call))?.payment_intent?.id ?? null;
  return checkoutRef === null ? null : ((await findSession(checkoutRef, call))?.payment_intent?.id ?? null);
}

export const refunds: RefundAbility = {
  async refund(request, call) {
    const { payment, refundId, amount, reason } = request;
    const payment_intent = await beforehand(() => intentOf(payment, call));
    if (payment_intent === null) return refusedRefund(request, "Stripe has no payment that could be refunded.");
    const fields = {
      payment_intent,
      amount,
      reason: "requested_by_customer",
      metadata: { refund_id: refundId, reason: reason ? truncate(reason, METADATA_CHARACTERS) : undefined },
    };
    const post = { method: "POST", path: "/refunds", fields, idempotencyKey: refundId } as const;
    const answer = await ask(call, post, wire.Refund);
    if (answer.kind === "answer") return { ...refundFact(answer.value), refundId };
    return refusedRefund(request, answer.kind === "refused" ? answer.reason : "Stripe does not know the payment.");
  },
  /** Null: the request may be sent again under its key, or was certainly never made. */
  async query({ payment, refundId, providerRefundRef }, call) {
    if (providerRefundRef !== null) {
      const path = `/refunds/${encodeURIComponent(providerRefundRef)}`;
      const refund = known(await ask(call, { method: "GET", path }, wire.Refund));
      return refund && { ...refundFact(refund), refundId };
    }
    const payment_intent = await intentOf(payment, call);
    if (payment_intent === null) return null;
    const made = await refundsOfIntent(payment_intent, call);
    const refund = made?.data.find(({ metadata }) => metadata?.refund_id === refundId);
    return refund ? refundFact(refund) : null;
  },
};
