import { z } from "zod";
import { filter, listQuery, optional, recordQuery, someOf, text, timestamp } from "../../platform/schema.ts";
import { dateTimeAsked } from "../../platform/schema-dates.ts";
import { DELIVERY_STATUSES } from "./types.ts";

const subscriptions = (events: readonly string[]) =>
  z
    .array(z.enum(["*", ...events], "must be * or the name of an event"), 'must list event names, or be ["*"]')
    .min(1, 'must name at least one event, or be ["*"]')
    .transform((names) => (names.includes("*") ? ["*"] : [...new Set(names)]));

const url = () => text(1, 1000);

/** Body of `POST /webhook-endpoints`; `events` are the names that may be subscribed to. */
export const endpointCreate = (events: readonly string[]) =>
  z.object({
    url: url(),
    events: subscriptions(events).default(["*"]),
    enabled: z.boolean().default(true),
  });
export type EndpointCreateBody = z.output<ReturnType<typeof endpointCreate>>;

/** Body of `PATCH /webhook-endpoints/{id}`; a field that is left out stays. `events` as above. */
export const endpointPatch = (events: readonly string[]) =>
  z.object({ url: url(), events: subscriptions(events), enabled: z.boolean() }).partial();
export type EndpointPatchBody = z.output<ReturnType<typeof endpointPatch>>;

/** Query of `GET /webhook-endpoints`. */
export const EndpointQuery = listQuery(["we"], {});

const endpoint = {
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  disabledReason: z
    .enum(["gone", "failing"])
    .nullable()
    .describe("`gone`: it answered 410; `failing`: every attempt of more than five days failed."),
  failingSince: timestamp().nullable(),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

/** Interface 14.2. */
export const EndpointObject = z.object(endpoint).meta({ id: "WebhookEndpoint" });

/** The reply of `POST` and `rotate-secret`, the only ones with the secret. */
export const EndpointWithSecret = z
  .object({ ...endpoint, secret: z.string() })
  .meta({ id: "WebhookEndpointWithSecret" });

/** Data of `endpoint.test`. */
export const EndpointTest = z.object({ endpointId: z.string() }).meta({ id: "EndpointTest" });

/** Query of `GET /webhook-deliveries`. */
export const DeliveryQuery = recordQuery(["whd"], {
  endpointId: filter(),
  eventId: filter(),
  eventType: filter(),
  status: someOf(DELIVERY_STATUSES),
  from: dateTimeAsked().optional().describe("The earliest time at which it was made."),
}).extend({ q: filter().describe("A delivery's id, or the id or type of its event.") });

/** Body of `POST /webhook-deliveries/resend-failed`. */
export const ResendFailed = z.object({
  endpointId: optional(text(1, 100)),
  since: dateTimeAsked().describe("The earliest time at which they were created."),
  dryRun: z.boolean().optional().describe("Counts them, and sends nothing."),
});

/** Reply to `POST /webhook-deliveries/resend-failed`. */
export const ResentObject = z
  .object({
    deliveries: z
      .int()
      .describe("The number of deliveries that are sent again; at most 1000 at once, the oldest first."),
    hasMore: z.boolean(),
    dryRun: z.boolean(),
  })
  .meta({ id: "WebhookDeliveriesResent" });

/** Body of `POST /webhook-endpoints/{id}/replay`; `events` are the names that may be subscribed to. */
export const replayCreate = (events: readonly string[]) =>
  z.object({
    from: dateTimeAsked().describe("The earliest time at which the events were created."),
    to: dateTimeAsked().nullish().describe("The time before which they were created; now, when it is left out."),
    types: subscriptions(events)
      .nullish()
      .describe("Only events of these types; by default those to which the endpoint subscribes."),
  });

/** Reply to `POST /webhook-endpoints/{id}/replay`. */
export const ReplayedObject = z
  .object({ events: z.int().describe("The number of events that are sent, each once.") })
  .meta({ id: "WebhookReplay" });

/** Body of `POST /events/{id}/send`. */
export const EventSend = z.object({ endpointId: text(1, 100) });

/** A kind of event, as webhook endpoints subscribe to it. */
export const EventTypeObject = z
  .object({ type: z.string(), about: z.string().describe("What its `data` is.") })
  .meta({ id: "EventType" });

/** Interface 14.4, shapes. */
export const DeliveryObject = z
  .object({
    id: z.string(),
    eventId: z.string(),
    eventType: z.string(),
    endpointId: z.string(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.array(
      z.object({
        at: timestamp(),
        statusCode: z.int().nullable(),
        durationMs: z.int(),
        error: z.string().nullable(),
        responseExcerpt: z.string().nullable(),
      }),
    ),
    nextAttemptAt: timestamp().nullable(),
  })
  .meta({ id: "WebhookDelivery" });
