import { dueWork } from "../../platform/due-work.ts";

/** Charges the stored card for an invoice of a subscription, or ends its collection. The subject is the invoice's id. */
export const SUBSCRIPTION_COLLECT = dueWork("customer_subscription.collect");
/** Tries a customer's new default card for the missed collections of their subscriptions. The subject is the customer's id. */
export const SUBSCRIPTION_NEW_CARD = dueWork("customer_subscription.new_card");
