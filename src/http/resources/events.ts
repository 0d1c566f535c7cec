import { z } from "zod";
import { countFailed, resendDelivery, resendFailed } from "../../flows/webhooks/send-again.ts";
import { notFound } from "../../kernel/errors.ts";
import { EventObject, EventQuery } from "../../modules/events/schema.ts";
import { findEvent, listEvents } from "../../modules/events/store.ts";
import { eventView } from "../../modules/events/view.ts";
import { DeliveryObject, DeliveryQuery, ResendFailed, ResentObject } from "../../modules/webhooks/schema.ts";
import { findDelivery, listDeliveries } from "../../modules/webhooks/store.ts";
import { deliveryView } from "../../modules/webhooks/view.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Events", about: "What happened, and how its deliveries went." },
} as const;
const params = z.object({ id: z.string() });

/** Interface 14.2: events and their webhook deliveries. */
export const eventEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/events",
    summary: "List events, newest first",
    permission: "events:read",
    query: EventQuery,
    replies: { 200: listOf(EventObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listEvents(tx, wanted), eventView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/events/{id}",
    summary: "Get an event",
    permission: "events:read",
    params,
    replies: { 200: EventObject },
    async handle({ params: { id } }, tx) {
      const event = await findEvent(tx, id);
      if (!event) throw notFound("event");
      return { status: 200, body: eventView(event) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/webhook-deliveries",
    summary: "List webhook deliveries, newest first",
    permission: "events:read",
    query: DeliveryQuery,
    replies: { 200: listOf(DeliveryObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listDeliveries(tx, wanted), deliveryView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/webhook-deliveries/{id}",
    summary: "Get a webhook delivery, with its attempts",
    permission: "events:read",
    params,
    replies: { 200: DeliveryObject },
    async handle({ params: { id } }, tx) {
      const delivery = await findDelivery(tx, id);
      if (!delivery) throw notFound("delivery");
      return { status: 200, body: deliveryView(delivery) };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-deliveries/resend-failed",
    summary: "Send again, now, all deliveries that were given up since a time; dryRun counts them",
    permission: "events:write",
    feature: "rest_api",
    body: ResendFailed,
    replies: { 200: ResentObject },
    async preview({ body }, tx) {
      const count = await countFailed(tx, body);
      return { status: 200, body: { count: Math.min(count, 1000), hasMore: count > 1000, dryRun: true } };
    },
    async handle({ ctx, body: { endpointId, from } }, tx) {
      const { sent, hasMore } = await resendFailed(tx, ctx, { endpointId, from });
      const view = { count: sent, hasMore, dryRun: false };
      return {
        status: 200,
        body: view,
        audit: { subject: endpointId ?? "webhook-deliveries", after: { from, ...view } },
      };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-deliveries/{id}/resend",
    summary: "Send a delivery again, now",
    permission: "events:write",
    feature: "rest_api",
    params,
    replies: { 200: DeliveryObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await resendDelivery(tx, ctx, id);
      return {
        status: 200,
        body: deliveryView(after),
        audit: {
          subject: id,
          before: { status: before.status, attempts: before.attempts.length },
          after: { status: after.status, attempts: after.attempts.length },
        },
      };
    },
  }),
];
