import { z } from "zod";
import {
  filter,
  frequency,
  metadataFilter,
  money,
  oneOf,
  optional,
  optionalNumber,
  pageQuery,
  recordQuery,
  timestamp,
} from "../../platform/schema.ts";
import { date } from "../../platform/schema-dates.ts";
import { GATEWAY_SUBSCRIPTION_STATUSES, SUBSCRIPTION_FLAGS } from "./types.ts";

/** Query of `GET /subscriptions` (interface 4.7); `q` and `startingAfter` serve the dashboard's list. */
export const GatewaySubscriptionQuery = recordQuery(["gsub"], {
  metadata: metadataFilter(),
  status: oneOf(GATEWAY_SUBSCRIPTION_STATUSES),
  customerId: filter(),
  externalReference: filter(),
});

/** Query of `GET /subscriptions/{id}/charges`. */
export const SubscriptionChargesQuery = pageQuery(["txn"], {});

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
    flags: z
      .array(z.enum(SUBSCRIPTION_FLAGS))
      .optional()
      .describe(
        "For staff: made_elsewhere when it was cancelled, paused, resumed or changed in the gateway's own dashboard.",
      ),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({ id: "GatewaySubscription" });

/** Highest amount of a subscription, in rand: that of a payment link (interface 4.2). */
const AMOUNT_MAX_RAND = 10_000_000;

/** Body of `POST /subscriptions/{id}/update` (interface 4.7). */
export const SubscriptionUpdate = z
  .object({ amount: optionalNumber(money(AMOUNT_MAX_RAND)), nextDate: optional(date()) })
  .refine(({ amount, nextDate }) => amount !== null || nextDate !== null, "send amount, nextDate or both");
export type SubscriptionUpdateBody = z.output<typeof SubscriptionUpdate>;

/** Body of `POST /subscriptions/{id}/retry` (interface 4.7). */
export const SubscriptionRetryBody = z.object({ amount: optionalNumber(money(AMOUNT_MAX_RAND)) });

/** The answer to an update. */
export const UpdatedSubscription = z.object({
  subscription: GatewaySubscriptionObject,
  result: z.object({ mode: z.enum(["in_place", "replace"]), checkoutUrl: z.url().nullable(), emailed: z.boolean() }),
});

/** The answer to a retry: the payment of the stored card, or the link that was mailed. */
export const RetriedSubscription = z.object({
  subscription: GatewaySubscriptionObject,
  result: z.object({
    mode: z.enum(["card", "link"]),
    amount: z.number(),
    reference: z.string().nullable(),
    status: z.string().nullable(),
    checkoutUrl: z.url().nullable(),
    emailed: z.boolean(),
  }),
});
