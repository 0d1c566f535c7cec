import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { GatewaySubscriptionObject } from "./schema.ts";

const data = GatewaySubscriptionObject;

export const SUBSCRIPTION_CHARGED = event("subscription.charged", {
  about: "The gateway subscription of which a later charge was collected.",
  data,
});

/** Looks for a renewal that was expected and did not come. */
export const SUBSCRIPTION_EXPECT = dueWork("subscription.expect");
/** Asks the gateway how a subscription stands, after an action that it left unclear. */
export const SUBSCRIPTION_CHECK = dueWork("subscription.check", { alsoInRealTime: true });
/** Applies what the gateway reported of a subscription before it began. */
export const SUBSCRIPTION_EARLY_REPORTS = dueWork("subscription.early_reports", { alsoInRealTime: true });
/** Begins at its gateway a subscription that does not begin by its first payment alone. */
export const SUBSCRIPTION_BEGIN = dueWork("subscription.begin", { alsoInRealTime: true });
/** Cancels at its gateway a subscription that another one has replaced. */
export const SUBSCRIPTION_END = dueWork("subscription.end", { alsoInRealTime: true });
