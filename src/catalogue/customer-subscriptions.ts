import { announceTrialEnd } from "../flows/customer-subscriptions/announce-trial-end.ts";
import { billSubscriptions, renewSettled } from "../flows/customer-subscriptions/bill-subscription.ts";
import {
  SUBSCRIPTION_CHANGE_MAIL,
  TRIAL_ENDING_MAIL,
} from "../flows/customer-subscriptions/customer-subscription-mails.ts";
import * as subscriptionEvents from "../flows/customer-subscriptions/declarations.ts";
import { subscriptionEndedWithCustomer } from "../flows/customer-subscriptions/end-with-customer.ts";
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
import { externalSubscriptionEndpoints } from "../http/resources/external-subscriptions.ts";
import * as customerSubscriptions from "../modules/customer-subscriptions/declarations.ts";
import { CUSTOMER_SUBSCRIPTION_RECORD } from "../modules/customer-subscriptions/record.ts";
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
import { acting, actingInSets } from "../worker/handlers.ts";
import { onSubjects } from "../worker/react.ts";
import type { Resource } from "./merged.ts";

/** Customer subscriptions, and what is recorded of those that another platform bills. */
export const CUSTOMER_SUBSCRIPTIONS: readonly Resource[] = [
  {
    declared: { ...customerSubscriptions, ...subscriptionEvents },
    work: [
      actingInSets(customerSubscriptions.CUSTOMER_SUBSCRIPTION_BILL, lockCustomerSubscriptions, billSubscriptions),
      acting(customerSubscriptions.CUSTOMER_SUBSCRIPTION_TRIAL_ENDING, lockCustomerSubscription, announceTrialEnd),
      acting(customerSubscriptions.CUSTOMER_SUBSCRIPTION_PAST_DUE, lockSubscriptionOfInvoice, announcePastDue),
    ],
    mails: [SUBSCRIPTION_CHANGE_MAIL, TRIAL_ENDING_MAIL],
    reactions: [
      [invoices.INVOICE_PAID, onSubjects(renewSettled)],
      [invoices.INVOICE_CANCELLED, onSubjects(renewSettled)],
      [invoices.INVOICE_PAID, onSubjects(honourPaidCoupons)],
      [subscriptionEvents.SUBSCRIPTION_EXPIRED, onSubjects(releaseUnpaidCoupons)],
      [subscriptionEvents.SUBSCRIPTION_CANCELLED, onSubjects(releaseUnpaidCoupons)],
      [subscriptionEvents.SUBSCRIPTION_REACTIVATED, onSubjects(honourCoupons)],
    ],
    extensions: [
      PURPOSES.with(subscriptionPurpose),
      PURPOSES.with(givenBackPurpose),
      INVOICES_PAST_DUE.with(expectPastDue),
      ENDED_WITH_CUSTOMER.with(subscriptionEndedWithCustomer),
    ],
    endpoints: [...customerSubscriptionEndpoints, ...subscriptionItemEndpoints, ...subscriptionStateEndpoints],
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
];
