import { z } from "zod";
import type { Decimal } from "../../kernel/decimal.ts";
import type { CustomerSubscriptionId, Id } from "../../kernel/ids.ts";
import { addDays, type Instant, startOfDay, toTimestamp } from "../../kernel/time.ts";
import { dueWork } from "../../platform/due-work.ts";
import { filter, moment, oneOf, optional, pageQuery, text, timestamp, unitPrice } from "../../platform/schema.ts";
import { dateTime } from "../../platform/schema-dates.ts";

/** The most events of a request. */
const EVENTS_MAX = 1000;
/** For so many days an id counts once (interface 16.24). */
export const REMEMBERED_DAYS = 90;
/** How far ahead of the organisation's time an event may be, in seconds. */
export const AHEAD_SECONDS = 300;
/** More than a thousand events with their properties have. */
export const BODY_MAX = 1_000_000;

const PROPERTIES_MAX = 50;
const VALUE_MAX = 500;

/** Removes the events of a month, by their receipt, once their ids are forgotten. */
export const FORGET_USAGE = dueWork("usage_events.forget");

/** A value of a property. */
export type PropertyValue = string | number | boolean | null;

/** A usage event that counted. */
export interface UsageEvent {
  readonly id: Id<"uev">;
  /** The merchant's own. */
  readonly eventId: string;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly itemId: string;
  /** The code or id by which the event named the item. */
  readonly item: string;
  readonly quantity: Decimal;
  readonly at: Instant;
  readonly properties: Readonly<Record<string, PropertyValue>>;
  /** Of a day before the period that was open: the next bill has it. */
  readonly late: boolean;
  readonly receivedAt: Instant;
}

const value = () =>
  z.union(
    [text(0, VALUE_MAX), z.number(), z.boolean(), z.null()],
    `must be text of at most ${VALUE_MAX} characters, a number, a boolean or null`,
  );

const usageEvent = () =>
  z
    .object({
      id: text(1, 200).describe("Your own: the same id counts once for 90 days."),
      subscriptionId: optional(text(1, 100)).describe("Send exactly one of subscriptionId and externalReference."),
      externalReference: optional(text(1, 100)).describe("Of the customer subscription."),
      item: text(1, 100).describe("The code or id of a metered item."),
      quantity: unitPrice(),
      at: optional(dateTime()).describe("When it was used; by default now. At most 5 minutes ahead."),
      properties: optional(
        z
          .record(text(1, 100), value())
          .refine((all) => Object.keys(all).length <= PROPERTIES_MAX, `must have at most ${PROPERTIES_MAX} properties`),
      ),
    })
    .refine(({ subscriptionId, externalReference }) => (subscriptionId === null) !== (externalReference === null), {
      path: ["subscriptionId"],
      message: "send exactly one of subscriptionId and externalReference",
    });

/** Body of `POST /usage-events` (interface 4.17). */
export const UsageEventsCreate = z.object({
  events: z
    .array(usageEvent(), "must be a list of 1 to 1000 usage events")
    .min(1, "must have at least one event")
    .max(EVENTS_MAX, `must have at most ${EVENTS_MAX} events`),
});
/** An event of a body. */
export type AskedUsageEvent = z.output<typeof UsageEventsCreate>["events"][number];

/** The answer to `POST /usage-events`. */
export const UsageEventsAccepted = z
  .object({
    accepted: z.int().describe("How many events count from now on."),
    duplicates: z.int().describe("How many had an id that counts already."),
    rejected: z
      .array(z.object({ id: z.string(), reason: z.string().describe("For people: what to change.") }))
      .describe("Events that do not count. Send them again, corrected, with the same ids."),
  })
  .meta({ id: "UsageEventsAccepted" });

const cursor = () => filter().describe("The nextCursor of this list, or the id of an event in it.");

/** Query of `GET /usage-events`. */
export const UsageEventQuery = pageQuery(["uev"], {
  subscriptionId: filter(),
  externalReference: filter().describe("Of the customer subscription."),
  item: filter().describe("The code or id of the item, as events named it."),
  late: oneOf(["true", "false"]),
  createdFrom: moment(startOfDay).describe("The earliest time of receipt; of a South African day, its begin."),
  createdTo: moment((day) => startOfDay(addDays(day, 1)), 1).describe(
    "The latest time of receipt; of a South African day, its end.",
  ),
}).extend({ startingAfter: cursor(), endingBefore: cursor() });
/** As the store receives it. */
export type UsageEventQueried = z.output<typeof UsageEventQuery>;

/** Interface 4.17. */
export const UsageEventObject = z
  .object({
    object: z.literal("usage_event"),
    id: z.string().describe("The merchant's own."),
    subscriptionId: z.string(),
    item: z.string().describe("The code or id by which the event named the item."),
    itemId: z.string(),
    quantity: z.number(),
    at: timestamp(),
    properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
    late: z.boolean().describe("Whether its period was billed when it came, so that the next bill has it."),
    receivedAt: timestamp(),
  })
  .meta({ id: "UsageEvent" });

/** A usage event as the API shows it (interface 4.17). */
export const usageEventView = (event: UsageEvent) => ({
  object: "usage_event" as const,
  id: event.eventId,
  subscriptionId: event.subscriptionId,
  item: event.item,
  itemId: event.itemId,
  quantity: Number(event.quantity),
  at: toTimestamp(event.at),
  properties: event.properties,
  late: event.late,
  receivedAt: toTimestamp(event.receivedAt),
});
