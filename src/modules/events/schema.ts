import { z } from "zod";
import { filter, recordQuery, timestamp } from "../../platform/schema.ts";

/** Query of `GET /events`, over the names of all events. */
export const eventQuery = (names: readonly string[]) =>
  recordQuery(["evt"], {
    subject: filter().describe("The id or reference of what events are about."),
    type: filter()
      .refine((type) => !type || names.includes(type), "must be one of those that GET /event-types lists")
      .describe("The name of the events, such as `invoice.paid`."),
  }).extend({
    q: filter().describe("An event's id or type, or the id or reference of what events are about."),
  });

/** What an event and the body of its deliveries hold beside `type` and `data` (interface 6.1). */
export const envelope = {
  id: z.string().meta({ description: "The same in every attempt.", pattern: "^evt_[0-9a-f]+$" }),
  created: timestamp(),
  subject: z.string().describe("The id or reference of the record that the event is about."),
  sequence: z.int().min(1).describe("Counts the events of one subject, from 1."),
  apiVersion: z.string().describe("The version of the API by which `data` was written."),
  sandbox: z.boolean().describe("Whether the organisation is a sandbox, whose money is not real."),
  organisation: z
    .object({ id: z.string(), slug: z.string() })
    .meta({ id: "EventOrganisation", description: "The organisation that the event belongs to." }),
};

/** An event, as the body of its deliveries is too (interface 6.1). */
export const EventObject = z
  .object({
    ...{ id: envelope.id, type: z.string(), created: envelope.created },
    ...{ subject: envelope.subject, sequence: envelope.sequence, apiVersion: envelope.apiVersion },
    ...{ sandbox: envelope.sandbox, organisation: envelope.organisation },
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" });
