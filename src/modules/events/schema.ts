import { z } from "zod";
import { filter, listQuery, timestamp } from "../../platform/schema.ts";

/** Query of `GET /events`. */
export const EventQuery = listQuery(["evt"], {
  subject: filter().describe("The id or reference of what events are about."),
  type: filter().describe("The name of the events, such as `invoice.paid`."),
}).extend({
  q: filter().describe("An event's id or type, or the id or reference of what events are about."),
});

/** An event as the dashboard shows it (interface 14.4, shapes). */
export const EventObject = z
  .object({
    id: z.string(),
    type: z.string(),
    created: timestamp(),
    subject: z.string(),
    sequence: z.int(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Event" });
