import { event } from "../../events/event.ts";
import { CreditRefundObject } from "./schema.ts";

export const CREDIT_REFUNDED = event("customer.credit_refunded", {
  about: "The credit that was paid out to the customer.",
  data: CreditRefundObject,
});
