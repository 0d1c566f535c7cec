import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { GatewaySubscriptionObject } from "./schema.ts";

const data = GatewaySubscriptionObject;

export const SUBSCRIPTION_CHARGED = event("subscription.charged", {
  about: "The gateway subscription after a later charge of it was collected.",
  data,
});

/** Looks for a renewal whose date has passed without a report of it. */
export const SUBSCRIPTION_EXPECT = dueWork("subscription.expect");
/** Asks the gateway for the state of a subscription, after an action whose answer was unclear. */
export const SUBSCRIPTION_CHECK = dueWork("subscription.check", { alsoInRealTime: true });
/** Asks the gateway for the state of a subscription after a renewal of another amount: its price may have changed there. */
export const SUBSCRIPTION_PRICE = dueWork("subscription.price", { alsoInRealTime: true });
/** Applies reports of the gateway about a subscription that arrived before it began. */
export const SUBSCRIPTION_EARLY_REPORTS = dueWork("subscription.early_reports", { alsoInRealTime: true });
/** Starts a subscription at its gateway when its first payment alone does not start it. */
export const SUBSCRIPTION_BEGIN = dueWork("subscription.begin", { alsoInRealTime: true });
/** Cancels at its gateway a subscription that another one has replaced. */
export const SUBSCRIPTION_END = dueWork("subscription.end", { alsoInRealTime: true });
