import { dueWork } from "../../platform/due-work.ts";

/**
 * Ends an external subscription whose cancellation was requested for the period's end (interface 4.8,
 * `cancelAtPeriodEnd`); nothing is sent.
 */
export const EXTERNAL_SUBSCRIPTION_END = dueWork("external_subscription.end");
