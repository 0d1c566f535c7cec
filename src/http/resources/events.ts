import { z } from "zod";
import type { EventDeclaration } from "../../events/event.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { readableBy } from "../../flows/search/readable.ts";
import type { RecordKinds } from "../../flows/search/record-kind.ts";
import { countFailed, resendDelivery, resendFailed, sendEvent } from "../../flows/webhooks/send-again.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { EventObject, eventQuery } from "../../modules/events/schema.ts";
import { findEvent, listEvents } from "../../modules/events/store.ts";
import type { StoredEvent } from "../../modules/events/types.ts";
import { eventView } from "../../modules/events/view.ts";
import { DeliveryObject, DeliveryQuery, EventSend, ResendFailed, ResentObject } from "../../modules/webhooks/schema.ts";
import { findDelivery, listDeliveries } from "../../modules/webhooks/store.ts";
import type { Delivery } from "../../modules/webhooks/types.ts";
import { deliveryView } from "../../modules/webhooks/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "clients",
  tag: { name: "Events", about: "What happened, and how its deliveries went." },
} as const;
const params = z.object({ id: z.string() });

/**
 * Events without their data, which may hold addresses that give access to payments
 * (decisions.md#exports-without-access).
 */
const eventsCsv = (kinds: RecordKinds) =>
  listExport<StoredEvent, ReturnType<typeof eventQuery>>({
    long: true,
    columns: {
      id: (row) => row.id,
      type: (row) => row.type,
      subject: (row) => row.subject,
      sequence: (row) => String(row.sequence),
      created: (row) => toTimestamp(row.createdAt),
    },
    list: (tx, query, ctx) => listEvents(tx, query, readableBy(kinds, ctx)),
  });

/** Deliveries of webhooks, each with its last attempt. */
const deliveriesCsv = listExport<Delivery, typeof DeliveryQuery>({
  long: true,
  columns: {
    id: (row) => row.id,
    eventId: (row) => row.eventId,
    eventType: (row) => row.eventType,
    endpointId: (row) => row.endpointId,
    status: (row) => row.status,
    attempts: (row) => String(row.attempts.length),
    lastAttemptAt: (row) => row.attempts.at(-1)?.at ?? null,
    statusCode: (row) => row.attempts.at(-1)?.statusCode?.toString() ?? null,
    error: (row) => row.attempts.at(-1)?.error ?? null,
    nextAttemptAt: (row) => toTimestampOrNull(row.nextAttemptAt),
  },
  list: listDeliveries,
});

/** The endpoints of interface 14.2: events and their webhook deliveries; `events` are those that there can be, about records of `kinds`. */
export const eventEndpoints = (events: readonly EventDeclaration[], kinds: RecordKinds): Endpoint[] => {
  const query = eventQuery(events.map(({ name }) => name));
  return [
    listing(query, kinds),
    reading(kinds),
    ...OTHERS,
    listEndpoint("events", "Events, without their data,", "events:read", query.omit(PAGING), eventsCsv(kinds)),
  ];
};

const listing = (query: ReturnType<typeof eventQuery>, kinds: RecordKinds): Endpoint =>
  endpoint({
    ...common,
    method: "GET",
    path: "/events",
    summary: "List events, newest first",
    permission: "events:read",
    query,
    replies: { 200: listOf(EventObject) },
    async handle(call, tx) {
      const { organisation } = call.ctx;
      const readable = readableBy(kinds, call.ctx);
      return listed(
        call,
        (wanted) => listEvents(tx, wanted, readable),
        (event) => eventView(organisation, event),
      );
    },
  });

const reading = (kinds: RecordKinds): Endpoint =>
  endpoint({
    ...common,
    method: "GET",
    path: "/events/{id}",
    summary: "Get an event",
    permission: "events:read",
    params,
    replies: { 200: EventObject },
    async handle({ ctx, params: { id } }, tx) {
      const event = await findEvent(tx, id, readableBy(kinds, ctx));
      if (!event) throw notFound("event");
      return { status: 200, body: eventView(ctx.organisation, event) };
    },
  });

const OTHERS: readonly Endpoint[] = [
  endpoint({
    ...common,
    method: "POST",
    path: "/events/{id}/send",
    summary: "Send an event to a webhook endpoint, now",
    permission: "events:write",
    idempotent: true,
    feature: "rest_api",
    params,
    body: EventSend,
    replies: { 200: DeliveryObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const view = deliveryView(await sendEvent(tx, ctx, id, body.endpointId));
      return { status: 200, body: view, audit: { subject: id, after: { endpointId: body.endpointId } } };
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
    operationId: "resendFailedWebhookDeliveries",
    summary: "Send again, now, all deliveries that were given up since a time; dryRun counts them",
    permission: "events:write",
    idempotent: true,
    feature: "rest_api",
    body: ResendFailed,
    replies: { 200: ResentObject, 202: ResentObject },
    async preview({ body }, tx) {
      const count = await countFailed(tx, body);
      return { status: 200, body: { deliveries: Math.min(count, 1000), hasMore: count > 1000, dryRun: true } };
    },
    async handle({ ctx, body: { endpointId, since } }, tx) {
      const { sent, hasMore } = await resendFailed(tx, ctx, { endpointId, since });
      const view = { deliveries: sent, hasMore, dryRun: false };
      return {
        status: 202,
        body: view,
        audit: { subject: endpointId ?? "webhook-deliveries", after: { since, ...view } },
      };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-deliveries/{id}/resend",
    summary: "Send a delivery again, now",
    permission: "events:write",
    idempotent: true,
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
  listEndpoint(
    "webhook-deliveries",
    "Webhook deliveries, each with its last attempt,",
    "events:read",
    DeliveryQuery.omit(PAGING),
    deliveriesCsv,
  ),
];
