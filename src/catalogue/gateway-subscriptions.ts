import { beginAtGateway } from "../flows/gateway-subscriptions/begin-at-gateway.ts";
import {
  checkSubscription,
  endSubscription,
  lookForRenewal,
} from "../flows/gateway-subscriptions/check-subscription.ts";
import { applyEarlyReports } from "../flows/gateway-subscriptions/early-reports.ts";
import { gatewaySubscriptionPurpose } from "../flows/gateway-subscriptions/payment-purpose.ts";
import {
  SUBSCRIPTION_LINK_MAIL,
  SUBSCRIPTION_MIGRATION_MAIL,
} from "../flows/gateway-subscriptions/subscription-mail.ts";
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
    purposes: [gatewaySubscriptionPurpose],
    mails: [SUBSCRIPTION_LINK_MAIL],
    endpoints: gatewaySubscriptionEndpoints,
    examinations: gatewaySubscriptionExaminations,
    record: GATEWAY_SUBSCRIPTION_RECORD,
    sealed: [SEALED_HANDLES, SEALED_SUBSCRIPTION_CARDS, SEALED_EARLY_HANDLES],
  },
  {
    declared: subscriptionMigrations,
    work: [asking(subscriptionMigrations.MIGRATION_CANCEL_LEGACY, cancelLegacy)],
    purposes: [migrationPurpose],
    mails: [SUBSCRIPTION_MIGRATION_MAIL],
    endpoints: subscriptionMigrationEndpoints,
    examinations: subscriptionMigrationExaminations,
    record: MIGRATION_RECORD,
  },
];
