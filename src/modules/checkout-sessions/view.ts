import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { isOpen } from "./states.ts";
import type { ShownPayment, ShownSession } from "./types.ts";

/** Interface 2.10. `url` is the page of the session; it is shown while it can be used, and never of a hosted session. */
export const checkoutSessionView = (session: ShownSession, url: string) => ({
  object: "checkout_session" as const,
  id: session.id,
  status: session.status,
  source: session.source,
  checkoutUrl: session.source === "api" && isOpen(session) ? url : null,
  packageId: session.packageId,
  planId: session.planId,
  ...(session.currency !== null && { currency: session.currency }),
  productId: session.productId,
  customerId: session.customerId,
  subscriptionId: session.subscriptionId,
  couponCode: session.couponCode,
  returnUrl: session.returnUrl,
  prefill: session.prefill,
  metadata: session.metadata,
  transaction: session.payment && paymentView(session.payment),
  expiresAt: toTimestamp(session.expiresAt),
  usedAt: toTimestampOrNull(session.usedAt),
  createdAt: toTimestamp(session.createdAt),
  updatedAt: toTimestamp(session.updatedAt),
});

const paymentView = (payment: ShownPayment) => ({
  id: payment.id,
  reference: payment.reference,
  status: payment.status,
  amount: toRand(payment.amount),
  currency: payment.currency,
  discountAmount: toRand(payment.discount),
  taxAmount: payment.tax === null ? null : toRand(payment.tax),
  paidAt: toTimestampOrNull(payment.paidAt),
});
