// Writes nothing (events are written by src/events/outbox.ts). Reads: events.

import type { ListQuery } from "../../domain/lists.ts";
import type { EventsRow } from "../../domain/rows.ts";
import { isEventName } from "../../events/event.ts";
import type { Instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { StoredEvent } from "./types.ts";

type EventRow = Pick<EventsRow, "id" | "type" | "subject" | "sequence" | "data" | "created_at">;

const fromRow = (row: EventRow): StoredEvent => ({
  id: row.id,
  type: row.type,
  subject: row.subject,
  sequence: row.sequence,
  data: row.data,
  createdAt: row.created_at,
});

/** The events with these ids, oldest first; those of one subject in the order of their sequence numbers. */
export async function readEvents(tx: Tx, ids: readonly string[]): Promise<StoredEvent[]> {
  const sorted = ids.toSorted();
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, created_at from events
     where organisation_id = ${tx.organisation} and id = any (${sorted}) and id between ${sorted[0] ?? ""} and ${sorted.at(-1) ?? ""}
     order by min(id) over (partition by subject), sequence`;
  return rows.map(fromRow);
}

/** Those about any of these, newest first, older than the id `before`. */
export async function eventsOf(
  tx: Tx,
  subjects: readonly string[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<StoredEvent[]> {
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, created_at from events where organisation_id = ${tx.organisation}
        and subject = any (${subjects})
      ${when(before, (value) => part`and id < ${value}`)}
     order by id desc limit ${limit}`;
  return rows.map(fromRow);
}

/**
 * The events of mandates that say how these debits ended, newest first, older than the id `before`; each debit with its
 * mandate and the reference of its payment.
 */
export async function eventsOfDebits(
  tx: Tx,
  debits: readonly { readonly mandateId: string; readonly reference: string }[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<StoredEvent[]> {
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, created_at from events where organisation_id = ${tx.organisation}
        and subject = any (${debits.map(({ mandateId }) => mandateId)})
        and data -> 'debit' ->> 'transactionReference' = any (${debits.map(({ reference }) => reference)})
      ${when(before, (value) => part`and id < ${value}`)}
     order by id desc limit ${limit}`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findEvent(tx: Tx, id: string): Promise<StoredEvent | null> {
  const [row] = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, created_at from events where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** The events created from `from` on and before `to`, of these types or of all, oldest first. */
export async function eventsBetween(
  tx: Tx,
  { from, to, types }: { readonly from: Instant; readonly to: Instant; readonly types: readonly string[] | null },
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, created_at from events
     where organisation_id = ${tx.organisation} and created_at >= ${from} and created_at < ${to}
      ${when(types, (value) => part`and type = any (${value})`)}
     order by id limit ${limit}`;
  return rows.map(fromRow);
}

/** Newest first; `q` finds an event by its id, or those of a type or subject. */
export async function listEvents(tx: Tx, query: ListQuery<"subject" | "type">): Promise<StoredEvent[]> {
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, created_at from events where organisation_id = ${tx.organisation}
      ${when(query.startingAfter, (startingAfter) => part`and id < ${startingAfter}`)}
      ${when(query.subject, (subject) => part`and subject = ${subject}`)}
      ${when(query.type, (type) => part`and type = ${type}`)}
      ${when(query.q || null, (q) => searchCondition(q))}
     order by id desc limit ${query.limit}`;
  return rows.map(fromRow);
}

const searchCondition = (q: string) =>
  isEventName(q) ? part`and type = ${q}` : part`and (id = ${q} or subject = ${q})`;
