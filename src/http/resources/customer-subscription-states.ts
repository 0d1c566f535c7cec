import { z } from "zod";
import { cancelSubscription } from "../../flows/customer-subscriptions/cancel-subscription.ts";
import { patchSubscription } from "../../flows/customer-subscriptions/patch-subscription.ts";
import { pauseSubscription } from "../../flows/customer-subscriptions/pause-subscription.ts";
import { reactivateSubscription } from "../../flows/customer-subscriptions/reactivate-subscription.ts";
import { resumeSubscription } from "../../flows/customer-subscriptions/resume-subscription.ts";
import { changePaymentMethod } from "../../flows/mandates/change-payment-method.ts";
import { previewPaymentMethod } from "../../flows/mandates/preview-payment-method.ts";
import {
  PaymentMethodPreview,
  PaymentMethodQuery,
  SubscriptionPaymentMethod,
} from "../../modules/customer-subscriptions/schema/payment-method.ts";
import {
  CustomerSubscriptionObject,
  SubscriptionCancel,
  SubscriptionPatch,
  SubscriptionReactivate,
} from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { endpoint, ownTransactionsEndpoint } from "../endpoint.ts";
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
    path: "/customer-subscriptions/{id}/payment-method",
    operationId: "changeCustomerSubscriptionPaymentMethod",
    summary: "Collect a customer subscription from another card, by debit order or by mailed invoice from now on",
    idempotent: true,
    body: SubscriptionPaymentMethod,
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await changePaymentMethod(tx, ctx, id, body)),
  }),
  ownTransactionsEndpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}/payment-method-preview",
    summary: "What a change of the payment method would do, computed without doing it",
    permission: "subscriptions:read",
    query: PaymentMethodQuery,
    replies: { 200: PaymentMethodPreview },
    run: async ({ ctx, services, params: { id }, query }) => ({
      status: 200,
      body: await previewPaymentMethod(services, ctx, id, query),
    }),
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
