import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { ErasureObject } from "./schema.ts";

export const CUSTOMER_ERASED = event("customer.erased", {
  about: "The erasure of a customer's personal data; follow it in your own systems.",
  data: ErasureObject,
});

/** Erases what the law said to keep of an erased customer, after its time. The subject is the customer's id. */
export const ERASE_KEPT = dueWork("personal_data.erase_kept");

/** Nightly, while the settings name a time: removes what is kept no longer. The subject is the organisation's id. */
export const APPLY_RETENTION = dueWork("retention.apply");

/** Erases a customer that has been closed for the time of the settings. The subject is the customer's id. */
export const ERASE_CLOSED = dueWork("retention.erase_customer");
