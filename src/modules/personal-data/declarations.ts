import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { ErasureObject } from "./schema.ts";

export const CUSTOMER_ERASED = event("customer.erased", {
  about: "The erasure of a customer's personal data; erase them in your own systems too.",
  data: ErasureObject,
});

/** Erases the records of an erased customer that the law said to keep, after their time. The subject is the customer's id. */
export const ERASE_KEPT = dueWork("personal_data.erase_kept");

/** Nightly, while the settings name a time: removes data whose time is over. The subject is the organisation's id. */
export const APPLY_RETENTION = dueWork("retention.apply");

/** Erases a customer that was closed for the time in the settings. The subject is the customer's id. */
export const ERASE_CLOSED = dueWork("retention.erase_customer");
