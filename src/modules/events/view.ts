import { toTimestamp } from "../../kernel/time.ts";
import type { StoredEvent } from "./types.ts";

/** An event as the dashboard shows it (interface 14.4, shapes). */
export const eventView = (event: StoredEvent) => ({
  id: event.id,
  type: event.type,
  created: toTimestamp(event.createdAt),
  subject: event.subject,
  sequence: event.sequence,
  data: event.data,
});

/** The body that webhook endpoints receive (interface 6). */
export const eventEnvelope = (event: StoredEvent) => ({
  id: event.id,
  type: event.type,
  created: toTimestamp(event.createdAt),
  data: event.data,
});
