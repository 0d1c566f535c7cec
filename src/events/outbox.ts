import { endpointIsEnabled } from "../domain/webhook-endpoints.ts";
import { assert } from "../kernel/assert.ts";
import type { EventId } from "../kernel/ids.ts";
import type { Instant } from "../kernel/time.ts";
import type { Tx } from "../platform/database.ts";
import { dueWork, enqueue, enqueueIf } from "../platform/due-work.ts";
import { newEventId } from "../platform/new-id.ts";
import { API_VERSION, type DataOf, type EventDeclaration } from "./event.ts";

/** Due work of an event: its deliveries, and the reactions that the catalogue lists. Events of one organisation are handled in sets. */
export const EVENT_REACT = dueWork("event.react", { together: 100, perProcess: 300, followUps: 0 });

/**
 * Writes the event in the transaction of the change that causes it, so that the event exists exactly when the change
 * does. `data` is the object as the API shows it at this moment; later changes of the record do not change it.
 * `sequence` counts per subject, and after a rewind of the clock goes on above what was given
 * (decisions.md#no-number-of-an-event-twice).
 */
export function appendEvent<Declared extends EventDeclaration>(
  tx: Tx,
  now: Instant,
  declared: Declared,
  subject: string,
  data: DataOf<Declared>,
): EventId {
  const [id] = appendEvents(tx, now, declared, [{ subject, data }]);
  assert(id, "one event has one id");
  return id;
}

/** As `appendEvent`, one event for each of many subjects, all different, in one statement. Answers their ids in the same order. */
export function appendEvents<Declared extends EventDeclaration>(
  tx: Tx,
  now: Instant,
  { name, reacts }: Declared,
  happened: readonly { readonly subject: string; readonly data: DataOf<Declared> }[],
): EventId[] {
  const ids = happened.map(() => newEventId());
  tx.queue`
    with given as (
      select id, subject, data from unnest(${ids}::text[], ${happened.map(({ subject }) => subject)}::text[],
        ${happened.map(({ data }) => JSON.stringify(data))}::json[]) as g(id, subject, data)),
    counted as (
      insert into event_subjects as s (organisation_id, subject, last_sequence)
      select ${tx.organisation}, g.subject, coalesce((select max(r.sequence) from event_resumptions r
          where r.organisation_id = ${tx.organisation} and r.subject = g.subject), 1)
        from given g order by g.subject
      on conflict (organisation_id, subject) do update set last_sequence = greatest(s.last_sequence + 1, excluded.last_sequence)
      returning subject, last_sequence)
    insert into events (organisation_id, id, type, subject, sequence, data, created_at, api_version)
    select ${tx.organisation}, g.id, ${name}, g.subject, c.last_sequence, g.data, ${now}, ${API_VERSION}
      from given g join counted c using (subject)
     order by g.id
    returning id`;
  // Without an endpoint, most events need no work: an import would enqueue, claim and delete a row for each record.
  for (const id of ids)
    if (reacts) enqueue(tx, EVENT_REACT, id, now);
    else enqueueIf(tx, EVENT_REACT, id, now, endpointIsEnabled(tx));
  return ids;
}
