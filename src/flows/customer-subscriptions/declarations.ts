import { event } from "../../events/event.ts";
import { CustomerSubscriptionObject } from "../../modules/customer-subscriptions/schema.ts";
import { GatewaySubscriptionObject } from "../../modules/gateway-subscriptions/schema.ts";
import { InvoiceObject } from "../../modules/invoices/schema.ts";

// They stand here, not in a module, because their data holds records of several.

/** A customer subscription with the invoice that the event is about. */
const data = CustomerSubscriptionObject.extend({ invoice: InvoiceObject.nullable() }).meta({
  id: "CustomerSubscriptionChange",
});

export const SUBSCRIPTION_CREATED = event("subscription.created", {
  about: "The customer subscription that was created, with its first invoice when it was billed at once.",
  data,
});
export const SUBSCRIPTION_ACTIVATED = event("subscription.activated", {
  about:
    "The gateway subscription that its first payment began; or the customer subscription that became active for the first time, with its first invoice.",
  data: GatewaySubscriptionObject.or(data),
});
export const SUBSCRIPTION_RENEWED = event("subscription.renewed", {
  about: "The customer subscription in its new period, with the invoice; null when there was nothing to pay.",
  data,
});
export const SUBSCRIPTION_EXPIRED = event("subscription.expired", {
  about:
    "The customer subscription whose cycles are all billed and whose last period is over; or whose first charge was not paid in time, with its invoice.",
  data,
});
export const SUBSCRIPTION_PLAN_CHANGED = event("subscription.plan_changed", {
  about:
    "The customer subscription with its new plan, quantity or items, and what was invoiced for the change at once.",
  data,
});
export const SUBSCRIPTION_UPDATED = event("subscription.updated", {
  about: "The customer subscription whose items, credit, discounts or change to come were changed.",
  data,
});
