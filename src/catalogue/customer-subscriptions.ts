import { announceTrialEnd } from "../flows/customer-subscriptions/announce-trial-end.ts";
import { billSubscriptions, renewSettled } from "../flows/customer-subscriptions/bill-subscription.ts";
import {
  SUBSCRIPTION_CHANGE_MAIL,
  TRIAL_ENDING_MAIL,
} from "../flows/customer-subscriptions/customer-subscription-mails.ts";
import * as subscriptionEvents from "../flows/customer-subscriptions/declarations.ts";
import { subscriptionEndedWithCustomer } from "../flows/customer-subscriptions/end-with-customer.ts";
import {
  announceEntitlements,
  expectEntitlements,
  expectEntitlementsOfPlan,
  planOfWork,
} from "../flows/customer-subscriptions/entitlements.ts";
import { forgetUsage, month as monthToForget } from "../flows/customer-subscriptions/forget-usage.ts";
import {
  honourCoupons,
  honourPaidCoupons,
  releaseUnpaidCoupons,
} from "../flows/customer-subscriptions/subscription-coupon.ts";
import { subscriptionPage } from "../flows/customer-subscriptions/subscription-object.ts";
import { endExternal } from "../flows/customer-subscriptions/sync-period.ts";
import { givenBackPurpose } from "../flows/customer-subscriptions/take-back-credit.ts";
import { ENDED_WITH_CUSTOMER } from "../flows/customers/deactivate-customer.ts";
import { announcePastDue, expectPastDue } from "../flows/dunning/announce-past-due.ts";
import { subscriptionPurpose } from "../flows/dunning/payment-purpose.ts";
import { INVOICES_PAST_DUE } from "../flows/invoices/due-date.ts";
import { PURPOSES } from "../flows/payments/purpose.ts";
import { subscriptionItemEndpoints } from "../http/resources/customer-subscription-items.ts";
import { subscriptionStateEndpoints } from "../http/resources/customer-subscription-states.ts";
import { customerSubscriptionEndpoints } from "../http/resources/customer-subscriptions.ts";
import { entitlementEndpoints } from "../http/resources/entitlements.ts";
import { externalSubscriptionEndpoints } from "../http/resources/external-subscriptions.ts";
import { usageEventEndpoints } from "../http/resources/usage-events.ts";
import * as customerSubscriptions from "../modules/customer-subscriptions/declarations.ts";
import { CUSTOMER_SUBSCRIPTION_RECORD } from "../modules/customer-subscriptions/record.ts";
import { lockTold } from "../modules/customer-subscriptions/store/entitlements.ts";
import {
  lockCustomerSubscription,
  lockCustomerSubscriptions,
  lockSubscriptionOfInvoice,
} from "../modules/customer-subscriptions/store/subscriptions.ts";
import { customerSubscriptionExaminations } from "../modules/customer-subscriptions/verify.ts";
import * as externalPeriods from "../modules/external-periods/declarations.ts";
import { EXTERNAL_PERIOD_RECORD } from "../modules/external-periods/record.ts";
import { externalPeriodExaminations } from "../modules/external-periods/verify.ts";
import * as invoices from "../modules/invoices/declarations.ts";
import * as packages from "../modules/packages/declarations.ts";
import { FORGET_USAGE } from "../modules/usage-events/schema.ts";
import { USAGE_RECORD } from "../modules/usage-events/store.ts";
import { acting, actingInSets } from "../worker/handlers.ts";
import { onSubjects } from "../worker/react.ts";
import type { Resource } from "./merged.ts";

/** Events after which a customer may be entitled to something else: all that change a status, a plan, or whether it is past due. */
const ENTITLING = [
  subscriptionEvents.SUBSCRIPTION_CREATED,
  subscriptionEvents.SUBSCRIPTION_ACTIVATED,
  subscriptionEvents.SUBSCRIPTION_TRIAL_ENDED,
  subscriptionEvents.SUBSCRIPTION_PAYMENT_FAILED,
  subscriptionEvents.SUBSCRIPTION_PAST_DUE,
  subscriptionEvents.SUBSCRIPTION_PAUSED,
  subscriptionEvents.SUBSCRIPTION_RESUMED,
  subscriptionEvents.SUBSCRIPTION_CANCELLED,
  subscriptionEvents.SUBSCRIPTION_REACTIVATED,
  subscriptionEvents.SUBSCRIPTION_UPDATED,
  subscriptionEvents.SUBSCRIPTION_EXPIRED,
  subscriptionEvents.SUBSCRIPTION_PLAN_CHANGED,
  invoices.INVOICE_PAID,
  invoices.INVOICE_CANCELLED,
];

/** One reaction for all of them, so that it runs once for a set of events. */
const entitle = onSubjects(expectEntitlements);

/** Customer subscriptions, and what is recorded of those that another platform bills. */
export const CUSTOMER_SUBSCRIPTIONS: readonly Resource[] = [
  {
    declared: { ...customerSubscriptions, ...subscriptionEvents, ...packages },
    work: [
      actingInSets(customerSubscriptions.CUSTOMER_SUBSCRIPTION_BILL, lockCustomerSubscriptions, billSubscriptions),
      acting(customerSubscriptions.CUSTOMER_SUBSCRIPTION_TRIAL_ENDING, lockCustomerSubscription, announceTrialEnd),
      acting(customerSubscriptions.CUSTOMER_SUBSCRIPTION_PAST_DUE, lockSubscriptionOfInvoice, announcePastDue),
      acting(packages.PLAN_FEATURES_CHANGED, planOfWork, expectEntitlementsOfPlan),
      actingInSets(customerSubscriptions.CUSTOMER_ENTITLEMENTS, lockTold, announceEntitlements),
    ],
    mails: [SUBSCRIPTION_CHANGE_MAIL, TRIAL_ENDING_MAIL],
    reactions: [
      [invoices.INVOICE_PAID, onSubjects(renewSettled)],
      [invoices.INVOICE_CANCELLED, onSubjects(renewSettled)],
      [invoices.INVOICE_PAID, onSubjects(honourPaidCoupons)],
      [subscriptionEvents.SUBSCRIPTION_EXPIRED, onSubjects(releaseUnpaidCoupons)],
      [subscriptionEvents.SUBSCRIPTION_CANCELLED, onSubjects(releaseUnpaidCoupons)],
      [subscriptionEvents.SUBSCRIPTION_REACTIVATED, onSubjects(honourCoupons)],
      ...ENTITLING.map((event) => [event, entitle] as const),
    ],
    extensions: [
      PURPOSES.with(subscriptionPurpose),
      PURPOSES.with(givenBackPurpose),
      INVOICES_PAST_DUE.with(expectPastDue),
      ENDED_WITH_CUSTOMER.with(subscriptionEndedWithCustomer),
    ],
    endpoints: [
      ...customerSubscriptionEndpoints,
      ...subscriptionItemEndpoints,
      ...subscriptionStateEndpoints,
      ...entitlementEndpoints,
    ],
    examinations: customerSubscriptionExaminations,
    record: CUSTOMER_SUBSCRIPTION_RECORD,
    payerPage: subscriptionPage,
  },
  {
    declared: externalPeriods,
    work: [acting(externalPeriods.EXTERNAL_SUBSCRIPTION_END, lockCustomerSubscription, endExternal)],
    endpoints: externalSubscriptionEndpoints,
    examinations: externalPeriodExaminations,
    record: EXTERNAL_PERIOD_RECORD,
  },
  {
    declared: { FORGET_USAGE },
    work: [acting(FORGET_USAGE, monthToForget, forgetUsage)],
    endpoints: usageEventEndpoints,
    record: USAGE_RECORD,
  },
];
