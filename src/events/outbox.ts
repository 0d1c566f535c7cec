import { type EventId, newEventId } from "../kernel/ids.ts";
import type { Instant } from "../kernel/time.ts";
import type { Tx } from "../platform/database.ts";
import { dueWork, enqueue } from "../platform/due-work.ts";
import type { DataOf, EventDeclaration } from "./event.ts";

/** What follows from an event: its deliveries, and the reactions that the catalogue lists. Events of one organisation go in sets. */
export const EVENT_REACT = dueWork("event.react", { together: 100, perProcess: 300, fromRequests: true });

/**
 * Writes the event in the transaction of the change that causes it, so that one exists exactly when the other does.
 * `data` is the object as the API shows it, fixed now. `sequence` counts per subject.
 */
export function appendEvent<Declared extends EventDeclaration>(
  tx: Tx,
  now: Instant,
  { name }: Declared,
  subject: string,
  data: DataOf<Declared>,
): EventId {
  const id = newEventId();
  tx.queue`
    with counted as (
      insert into event_subjects as s (organisation_id, subject, last_sequence) values (${tx.organisation}, ${subject}, 1)
      on conflict (organisation_id, subject) do update set last_sequence = s.last_sequence + 1
      returning last_sequence)
    insert into events (organisation_id, id, type, subject, sequence, data, created_at)
    select ${tx.organisation}, ${id}, ${name}, ${subject}, last_sequence, ${JSON.stringify(data)}, ${now} from counted
    returning id`;
  enqueue(tx, EVENT_REACT, id, now);
  return id;
}
