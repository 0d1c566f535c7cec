import { z } from "zod";
import { filter, frequency, listQuery, timestamp } from "../../platform/schema.ts";
import { GATEWAY_SUBSCRIPTION_STATUSES } from "./types.ts";

/** Query of `GET /subscriptions` (interface 4.7); `q` and `startingAfter` serve the dashboard's list. */
export const GatewaySubscriptionQuery = listQuery(["gsub"], { externalReference: filter() });

/** Query of `GET /subscriptions/{id}/charges`. */
export const SubscriptionChargesQuery = listQuery(["txn"], {});

/** Interface 2.12. */
export const GatewaySubscriptionObject = z
  .object({
    id: z.string(),
    status: z.enum(GATEWAY_SUBSCRIPTION_STATUSES),
    frequency: frequency(),
    amount: z.number(),
    currency: z.string(),
    gateway: z.string().nullable(),
    paymentLinkId: z.string().nullable(),
    externalReference: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "GatewaySubscription" });
