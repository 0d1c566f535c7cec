import { event } from "../../events/event.ts";
import { CustomerSubscriptionObject } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { GatewaySubscriptionObject } from "../../modules/gateway-subscriptions/schema.ts";
import { InvoiceObject } from "../../modules/invoices/schema.ts";
import { TransactionObject } from "../../modules/payments/schema.ts";

// Declared here, not in a module, because the data hold records of several modules. Events that exist for gateway
// subscriptions too have the data of either kind.

/** A customer subscription with the invoice that the event is about. */
const data = CustomerSubscriptionObject.extend({ invoice: InvoiceObject.nullable() }).meta({
  id: "CustomerSubscriptionChange",
});

const due = CustomerSubscriptionObject.shape.payment;

export const SUBSCRIPTION_CREATED = event("subscription.created", {
  about: "The customer subscription that was created, with its first invoice when it was billed at once.",
  data,
  reacts: true,
});
export const SUBSCRIPTION_ACTIVATED = event("subscription.activated", {
  about:
    "The gateway subscription that its first payment began; " +
    "or the customer subscription that became active for the first time, with its first invoice, or null when " +
    "none is made yet.",
  data: GatewaySubscriptionObject.or(data),
  reacts: true,
});
export const SUBSCRIPTION_RENEWED = event("subscription.renewed", {
  about: "The customer subscription in its new period, with the invoice; null when there was nothing to pay.",
  data,
});
export const SUBSCRIPTION_TRIAL_ENDING = event("subscription.trial_ending", {
  about:
    "The customer subscription whose trial ends in as many days as the setting `trialEndingDays` says, after which it is charged.",
  data,
});
export const SUBSCRIPTION_TRIAL_ENDED = event("subscription.trial_ended", {
  about: "The customer subscription whose trial is over, with its first invoice; null when it ends with the trial.",
  data,
  reacts: true,
});
export const SUBSCRIPTION_PAYMENT_FAILED = event("subscription.payment_failed", {
  about:
    "The gateway subscription of which a later charge was missed; " +
    "or the customer subscription of which an invoice could not be collected. " +
    "`payment` has the fields of the payment that failed too, unless none could be asked for.",
  data: GatewaySubscriptionObject.or(
    data.extend({ payment: TransactionObject.extend(due.shape).or(due) }).meta({ id: "CustomerSubscriptionMissed" }),
  ),
  reacts: true,
});
export const SUBSCRIPTION_PAST_DUE = event("subscription.past_due", {
  about: "The customer subscription that became past due, with the invoice that was not paid in time.",
  data,
  reacts: true,
});
export const SUBSCRIPTION_PAUSED = event("subscription.paused", {
  about: "The gateway subscription or customer subscription that was paused.",
  data: GatewaySubscriptionObject.or(data),
  reacts: true,
});
export const SUBSCRIPTION_RESUMED = event("subscription.resumed", {
  about:
    "The gateway subscription or customer subscription that was resumed; " +
    "the latter with the invoice of the period that begins with it, or null while the paid one runs.",
  data: GatewaySubscriptionObject.or(data),
  reacts: true,
});
export const SUBSCRIPTION_CANCELLED = event("subscription.cancelled", {
  about:
    "The gateway subscription or customer subscription that was cancelled; " +
    "the latter when it ends, with the invoice for what was used and not billed yet, if any.",
  data: GatewaySubscriptionObject.or(data),
  reacts: true,
});
export const SUBSCRIPTION_REACTIVATED = event("subscription.reactivated", {
  about:
    "The customer subscription that goes on: it had ended, or was to be cancelled at its period's end. " +
    "With the invoice of the period that begins with it, if one does.",
  data,
  reacts: true,
});
export const SUBSCRIPTION_UPDATED = event("subscription.updated", {
  about:
    "The customer subscription after a change of its items, credit, discounts, change to come, dates, metadata or " +
    "reference, or one that is to be cancelled at its period's end; or a scheduled one whose trial has begun.",
  data,
  reacts: true,
});
export const SUBSCRIPTION_EXPIRED = event("subscription.expired", {
  about:
    "The customer subscription whose cycles are all billed and whose last period is over; " +
    "or whose first charge was not paid in time, with its invoice.",
  data,
  reacts: true,
});
export const SUBSCRIPTION_PLAN_CHANGED = event("subscription.plan_changed", {
  about:
    "The customer subscription with its new plan, quantity or items, and what was invoiced for the change at once.",
  data,
  reacts: true,
});
