import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { ErasureObject } from "./schema.ts";

export const CUSTOMER_ERASED = event("customer.erased", {
  about: "The erasure of a customer's personal data; follow it in your own systems.",
  data: ErasureObject,
});

/** Erases what the law said to keep of an erased customer, after its time. The subject is the customer's id. */
export const ERASE_KEPT = dueWork("personal_data.erase_kept");
