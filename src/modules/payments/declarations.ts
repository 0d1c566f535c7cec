import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { PaymentEventData } from "./schema.ts";

export const PAYMENT_COMPLETE = event("payment.complete", {
  about: "The payment (transaction object with `customer`) once it is verified complete.",
  data: PaymentEventData,
});
export const PAYMENT_FAILED = event("payment.failed", { about: "The payment that failed.", data: PaymentEventData });
export const PAYMENT_CANCELLED = event("payment.cancelled", {
  about: "The payment that was cancelled or abandoned.",
  data: PaymentEventData,
});
export const PAYMENT_REFUNDED = event("payment.refunded", {
  about: "The payment, refunded in full.",
  data: PaymentEventData,
});
export const PAYMENT_PARTIALLY_REFUNDED = event("payment.partially_refunded", {
  about: "The payment, refunded in part.",
  data: PaymentEventData,
});

export const PAYMENT_REVERSED = event("payment.reversed", {
  about: "The payment, which a bank has reversed in part or in full; `reversals` says how much and why.",
  data: PaymentEventData,
});

/** Asks the gateway about a pending payment until its answer is clear. The subject is the transaction's id. */
export const PAYMENT_CHECK = dueWork("payment.check", { followUps: 0 });
