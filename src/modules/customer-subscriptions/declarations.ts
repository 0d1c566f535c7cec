import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { EntitlementsObject } from "./schema/entitlements.ts";

/**
 * Starts, bills or ends a subscription on the day that it falls due; also moves the period of a `manual` one whose bill was paid
 * (decisions.md#sets-of-250).
 */
export const CUSTOMER_SUBSCRIPTION_BILL = dueWork("customer_subscription.bill", { together: 250, perProcess: 250 });
/** Notifies the payer of a trial that it ends soon. */
export const CUSTOMER_SUBSCRIPTION_TRIAL_ENDING = dueWork("customer_subscription.trial_ending");
/** Announces that a subscription became past due by an invoice, which is the subject. */
export const CUSTOMER_SUBSCRIPTION_PAST_DUE = dueWork("customer_subscription.past_due");
/** Announces what a customer is entitled to, when it is something else than before. */
export const CUSTOMER_ENTITLEMENTS = dueWork("customer.entitlements", { together: 250, perProcess: 250 });

export const CUSTOMER_ENTITLEMENTS_CHANGED = event("customer.entitlements.changed", {
  about:
    "What the customer's subscriptions entitle to now (4.8): after one began, ended, paused or changed, or its plan's features did.",
  data: EntitlementsObject,
});
