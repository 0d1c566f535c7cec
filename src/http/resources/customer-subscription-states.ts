import { z } from "zod";
import { cancelSubscription } from "../../flows/customer-subscriptions/cancel-subscription.ts";
import { patchSubscription } from "../../flows/customer-subscriptions/patch-subscription.ts";
import { pauseSubscription } from "../../flows/customer-subscriptions/pause-subscription.ts";
import { reactivateSubscription } from "../../flows/customer-subscriptions/reactivate-subscription.ts";
import { resumeSubscription } from "../../flows/customer-subscriptions/resume-subscription.ts";
import {
  CustomerSubscriptionObject,
  SubscriptionCancel,
  SubscriptionPatch,
  SubscriptionReactivate,
} from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { endpoint } from "../endpoint.ts";
import { acted, common as ofSubscriptions } from "./customer-subscriptions.ts";

const common = {
  ...ofSubscriptions,
  permission: "subscriptions:write",
  params: z.object({ id: z.string() }),
  replies: { 200: CustomerSubscriptionObject },
} as const;

/** The endpoints that change the state and the dates of a subscription (interface 3.11 and 4.8). */
export const subscriptionStateEndpoints = [
  endpoint({
    ...common,
    method: "PATCH",
    path: "/customer-subscriptions/{id}",
    summary: "Move the billing dates of a customer subscription, or change its metadata or reference",
    body: SubscriptionPatch,
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await patchSubscription(tx, ctx, id, body)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/pause",
    summary: "Stop the billing of a customer subscription",
    idempotent: true,
    handle: async ({ ctx, params: { id } }, tx) => acted(ctx, await pauseSubscription(tx, ctx, id)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/resume",
    summary: "Resume a paused customer subscription",
    idempotent: true,
    handle: async ({ ctx, params: { id } }, tx) => acted(ctx, await resumeSubscription(tx, ctx, id)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/cancel",
    summary: "Cancel a customer subscription, now or when its period ends",
    idempotent: true,
    body: SubscriptionCancel,
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await cancelSubscription(tx, ctx, id, body)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/reactivate",
    summary: "Reactivate a customer subscription that has ended, or undo a scheduled cancellation",
    idempotent: true,
    body: SubscriptionReactivate,
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await reactivateSubscription(tx, ctx, id, body)),
  }),
];
