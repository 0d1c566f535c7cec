import { toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import type { GatewaySubscription } from "./types.ts";

/** Interface 2.12, also as events carry it. */
export const gatewaySubscriptionView = (subscription: GatewaySubscription) => ({
  id: subscription.id,
  status: subscription.status,
  frequency: subscription.frequency,
  amount: toRand(subscription.amount),
  currency: subscription.currency,
  gateway: subscription.gatewayType,
  paymentLinkId: subscription.paymentLinkId,
  externalReference: subscription.externalReference,
  metadata: subscription.metadata,
  ...(subscription.flags.length > 0 ? { flags: subscription.flags } : {}),
  createdAt: toTimestamp(subscription.createdAt),
  updatedAt: toTimestamp(subscription.updatedAt),
});
