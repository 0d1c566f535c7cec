import { applySubscriptionFact } from "../flows/gateway-subscriptions/apply-subscription-fact.ts";
import { beginAtGateway } from "../flows/gateway-subscriptions/begin-at-gateway.ts";
import {
  checkSubscription,
  endSubscription,
  lookForRenewal,
} from "../flows/gateway-subscriptions/check-subscription.ts";
import { applyEarlyReports } from "../flows/gateway-subscriptions/early-reports.ts";
import { otherRenewal, recordCollection } from "../flows/gateway-subscriptions/later-collection.ts";
import { gatewaySubscriptionPurpose } from "../flows/gateway-subscriptions/payment-purpose.ts";
import { recordSecondPayment } from "../flows/gateway-subscriptions/second-payment.ts";
import {
  SUBSCRIPTION_LINK_MAIL,
  SUBSCRIPTION_MIGRATION_MAIL,
} from "../flows/gateway-subscriptions/subscription-mail.ts";
import { SUBSCRIPTION_FACTS } from "../flows/payments/apply-facts.ts";
import { MADE_BY_GATEWAY } from "../flows/payments/identify-payment.ts";
import { PURPOSES } from "../flows/payments/purpose.ts";
import { PAYMENT_MISMATCHES } from "../flows/payments/settle-payment.ts";
import { cancelLegacy } from "../flows/subscription-migrations/act-on-migration.ts";
import { migrationPurpose } from "../flows/subscription-migrations/confirm-migration.ts";
import { gatewaySubscriptionEndpoints } from "../http/resources/gateway-subscriptions.ts";
import { subscriptionMigrationEndpoints } from "../http/resources/subscription-migrations.ts";
import { SEALED_EARLY_HANDLES } from "../modules/gateway-notifications/store.ts";
import * as gatewaySubscriptions from "../modules/gateway-subscriptions/declarations.ts";
import { GATEWAY_SUBSCRIPTION_RECORD } from "../modules/gateway-subscriptions/record.ts";
import { SEALED_HANDLES, SEALED_SUBSCRIPTION_CARDS } from "../modules/gateway-subscriptions/store.ts";
import { gatewaySubscriptionExaminations } from "../modules/gateway-subscriptions/verify.ts";
import * as subscriptionMigrations from "../modules/subscription-migrations/declarations.ts";
import { MIGRATION_RECORD } from "../modules/subscription-migrations/record.ts";
import { subscriptionMigrationExaminations } from "../modules/subscription-migrations/verify.ts";
import { asking } from "../worker/handlers.ts";
import type { Resource } from "./merged.ts";

/** Subscriptions that gateways run, and those that move to one from elsewhere. */
export const GATEWAY_SUBSCRIPTIONS: readonly Resource[] = [
  {
    declared: gatewaySubscriptions,
    work: [
      asking(gatewaySubscriptions.SUBSCRIPTION_EXPECT, lookForRenewal),
      asking(gatewaySubscriptions.SUBSCRIPTION_CHECK, checkSubscription),
      asking(gatewaySubscriptions.SUBSCRIPTION_PRICE, checkSubscription),
      asking(gatewaySubscriptions.SUBSCRIPTION_BEGIN, beginAtGateway),
      asking(gatewaySubscriptions.SUBSCRIPTION_END, endSubscription),
      asking(gatewaySubscriptions.SUBSCRIPTION_EARLY_REPORTS, applyEarlyReports),
    ],
    extensions: [
      PURPOSES.with(gatewaySubscriptionPurpose),
      MADE_BY_GATEWAY.with(recordCollection),
      MADE_BY_GATEWAY.with(recordSecondPayment),
      PAYMENT_MISMATCHES.with(otherRenewal),
      SUBSCRIPTION_FACTS.with(applySubscriptionFact),
    ],
    mails: [SUBSCRIPTION_LINK_MAIL],
    endpoints: gatewaySubscriptionEndpoints,
    examinations: gatewaySubscriptionExaminations,
    record: GATEWAY_SUBSCRIPTION_RECORD,
    sealed: [SEALED_HANDLES, SEALED_SUBSCRIPTION_CARDS, SEALED_EARLY_HANDLES],
  },
  {
    declared: subscriptionMigrations,
    work: [asking(subscriptionMigrations.MIGRATION_CANCEL_LEGACY, cancelLegacy)],
    extensions: [PURPOSES.with(migrationPurpose)],
    mails: [SUBSCRIPTION_MIGRATION_MAIL],
    endpoints: subscriptionMigrationEndpoints,
    examinations: subscriptionMigrationExaminations,
    record: MIGRATION_RECORD,
  },
];
