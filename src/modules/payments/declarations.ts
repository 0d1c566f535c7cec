import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { PaymentEventData, RefundEventData } from "./schema.ts";

export const PAYMENT_COMPLETE = event("payment.complete", {
  about: "The payment (transaction object with `customer`) once it is verified complete.",
  data: PaymentEventData,
  reacts: true,
});
export const PAYMENT_FAILED = event("payment.failed", {
  about: "The payment that failed.",
  data: PaymentEventData,
  reacts: true,
});
export const PAYMENT_CANCELLED = event("payment.cancelled", {
  about: "The payment that was cancelled or abandoned.",
  data: PaymentEventData,
  reacts: true,
});
export const PAYMENT_REFUNDED = event("payment.refunded", {
  about: "The payment, refunded in full.",
  data: PaymentEventData,
  reacts: true,
});
export const PAYMENT_PARTIALLY_REFUNDED = event("payment.partially_refunded", {
  about: "The payment, refunded in part.",
  data: PaymentEventData,
  reacts: true,
});

export const REFUND_CREATED = event("refund.created", {
  about: "The payment, with the refund that was requested from its gateway or recorded.",
  data: RefundEventData,
});
export const REFUND_PROCESSED = event("refund.processed", {
  about: "The payment, with the refund that was made.",
  data: RefundEventData,
});
export const REFUND_FAILED = event("refund.failed", {
  about: "The payment, with the refund that the gateway could not make.",
  data: RefundEventData,
});

export const PAYMENT_REVERSED = event("payment.reversed", {
  about: "The payment, which a bank has reversed in part or in full; `reversals` says how much and why.",
  data: PaymentEventData,
});

/** Asks the gateway about a pending payment until its answer is clear. The subject is the transaction's id. */
export const PAYMENT_CHECK = dueWork("payment.check", { followUps: 0 });
