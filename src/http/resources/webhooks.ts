import { z } from "zod";
import type { EventDeclaration } from "../../events/event.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { changeEndpoint, removeEndpoint, rotateSecret } from "../../flows/webhooks/change-endpoint.ts";
import { createEndpoint } from "../../flows/webhooks/create-endpoint.ts";
import { replayEvents, sendTest } from "../../flows/webhooks/send-again.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { EventObject } from "../../modules/events/schema.ts";
import { eventView } from "../../modules/events/view.ts";
import {
  EndpointObject,
  EndpointQuery,
  EndpointWithSecret,
  EventTypeObject,
  endpointCreate,
  endpointPatch,
  ReplayedObject,
  replayCreate,
} from "../../modules/webhooks/schema.ts";
import { findEndpoint, listEndpoints } from "../../modules/webhooks/store.ts";
import type { WebhookEndpoint } from "../../modules/webhooks/types.ts";
import { endpointView } from "../../modules/webhooks/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { listBody, listed, listOf, pageOfShort, shortQuery } from "../lists.ts";
import { changed, created, removed } from "../replies.ts";

const common = {
  audience: "clients",
  tag: { name: "Webhook endpoints", about: "Addresses to which events are sent." },
} as const;
/**
 * The plan feature for webhooks (interface 6). Reading and deleting need none, so that they work after a change of
 * plan.
 */
const feature = "rest_api" as const;
const params = z.object({ id: z.string() });

/** Webhook endpoints. */
const webhookEndpointsCsv = listExport<WebhookEndpoint, typeof EndpointQuery>({
  columns: {
    id: (row) => row.id,
    url: (row) => row.url,
    events: (row) => row.events.join(" "),
    enabled: (row) => String(row.enabled),
    disabledReason: (row) => row.disabledReason,
    failingSince: (row) => toTimestampOrNull(row.failingSince),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: listEndpoints,
});

/** Endpoints that manage webhook endpoints; `events` are those that one can subscribe to. */
export const webhookEndpoints = (events: readonly EventDeclaration[]): Endpoint[] => [
  ...subscribing(events.map(({ name }) => name)),
  eventTypes(events),
  ...OTHERS,
  listEndpoint(
    "webhook-endpoints",
    "Webhook endpoints",
    "webhooks:read",
    EndpointQuery.omit(PAGING),
    webhookEndpointsCsv,
  ),
];

const eventTypes = (events: readonly EventDeclaration[]): Endpoint =>
  endpoint({
    ...common,
    method: "GET",
    path: "/event-types",
    summary: "List the kinds of events that webhook endpoints can subscribe to",
    permission: "webhooks:read",
    scope: null,
    query: shortQuery(),
    replies: { 200: listOf(EventTypeObject) },
    async handle({ query }) {
      const types = events.map(({ name, about }) => ({ type: name, about }));
      const { items, ...paging } = pageOfShort(query, types, ({ type }) => type);
      return { status: 200, body: listBody([...items], paging) };
    },
  });

const subscribing = (events: readonly string[]): Endpoint[] => [
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-endpoints",
    summary: "Create a webhook endpoint; the answer holds its secret, this once",
    permission: "webhooks:write",
    idempotent: true,
    feature,
    body: endpointCreate(events),
    replies: { 201: EndpointWithSecret },
    async handle({ ctx, body }, tx) {
      const { endpoint: made, secret } = await createEndpoint(tx, ctx, body);
      const view = endpointView(made);
      return { ...created(view), body: { ...view, secret } };
    },
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/webhook-endpoints/{id}",
    edits: true,
    summary: "Change a webhook endpoint, keeping its secret",
    permission: "webhooks:write",
    feature,
    params,
    body: endpointPatch(events),
    replies: { 200: EndpointObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await changeEndpoint(tx, ctx, id, body);
      return changed(endpointView(before), endpointView(after));
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/{id}/replay",
    summary: "Send all events of a time to this endpoint, each once",
    permission: "webhooks:write",
    idempotent: true,
    feature,
    params,
    body: replayCreate(events),
    replies: { 202: ReplayedObject },
    async handle({ ctx, params: { id }, body: { from, to = null, types = null } }, tx) {
      const view = { events: await replayEvents(tx, ctx, id, { from, to, types }) };
      return { status: 202, body: view, audit: { subject: id, after: { from, to, types, ...view } } };
    },
  }),
];

const OTHERS: readonly Endpoint[] = [
  endpoint({
    ...common,
    method: "GET",
    path: "/webhook-endpoints",
    summary: "List webhook endpoints, newest first",
    permission: "webhooks:read",
    query: EndpointQuery,
    replies: { 200: listOf(EndpointObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listEndpoints(tx, wanted), endpointView);
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/webhook-endpoints/{id}",
    summary: "Get a webhook endpoint",
    permission: "webhooks:read",
    params,
    replies: { 200: EndpointObject },
    async handle({ params: { id } }, tx) {
      const found = await findEndpoint(tx, id);
      if (!found) throw notFound("webhook endpoint");
      return { status: 200, body: endpointView(found) };
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/webhook-endpoints/{id}",
    summary: "Delete a webhook endpoint; its deliveries stay listed",
    permission: "webhooks:write",
    params,
    replies: { 200: EndpointObject },
    async handle({ params: { id } }, tx) {
      return removed(endpointView(await removeEndpoint(tx, id)));
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/{id}/rotate-secret",
    summary: "Replace the secret; for 24 hours the one before it signs too",
    permission: "webhooks:write",
    idempotent: true,
    feature,
    params,
    replies: { 200: EndpointWithSecret },
    async handle({ ctx, params: { id } }, tx) {
      const rotated = await rotateSecret(tx, ctx, id);
      const view = endpointView(rotated.endpoint);
      return { status: 200, body: { ...view, secret: rotated.secret }, audit: { subject: id, after: view } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/{id}/test",
    summary: "Send `endpoint.test` to this endpoint alone",
    permission: "webhooks:write",
    idempotent: true,
    feature,
    params,
    replies: { 200: EventObject },
    async handle({ ctx, params: { id } }, tx) {
      const view = eventView(ctx.organisation, await sendTest(tx, ctx, id));
      return { status: 200, body: view, audit: { subject: id, after: { eventId: view.id } } };
    },
  }),
];
