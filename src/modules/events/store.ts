// Writes nothing (events are written by src/events/outbox.ts). Reads: events.

import { createdIn, type ListQuery, newestFirst, onPage, type RecordFilter } from "../../domain/lists.ts";
import { onlyReadable, type Readable } from "../../domain/records.ts";
import type { EventsRow } from "../../domain/rows.ts";
import { isEventName } from "../../events/event.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { StoredEvent } from "./types.ts";

/** The columns of `createdIn`. */
const COLUMNS = { id: part`id`, createdAt: part`created_at` };

type EventRow = Pick<EventsRow, "id" | "type" | "subject" | "sequence" | "data" | "api_version" | "created_at">;

const fromRow = (row: EventRow): StoredEvent => ({
  id: row.id,
  type: row.type,
  subject: row.subject,
  sequence: row.sequence,
  data: row.data,
  apiVersion: row.api_version,
  createdAt: row.created_at,
});

/** The events with these ids, oldest first; those of one subject in the order of their sequence numbers. */
export async function readEvents(tx: Tx, ids: readonly string[]): Promise<StoredEvent[]> {
  const sorted = ids.toSorted();
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, api_version, created_at from events
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
    select id, type, subject, sequence, data, api_version, created_at from events where organisation_id = ${tx.organisation}
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
    select id, type, subject, sequence, data, api_version, created_at from events where organisation_id = ${tx.organisation}
        and subject = any (${debits.map(({ mandateId }) => mandateId)})
        and data -> 'debit' ->> 'transactionReference' = any (${debits.map(({ reference }) => reference)})
      ${when(before, (value) => part`and id < ${value}`)}
     order by id desc limit ${limit}`;
  return rows.map(fromRow);
}

/** Null when absent, another organisation's, or about a record that the caller may not read; null `readable`: all. */
export async function findEvent(tx: Tx, id: string, readable: Readable | null = null): Promise<StoredEvent | null> {
  const [row] = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, api_version, created_at from events
     where organisation_id = ${tx.organisation} and id = ${id} ${onlyReadable(readable, part`subject`)}`;
  return row ? fromRow(row) : null;
}

/** Which of these subjects have an event of the type. */
export async function subjectsWithEvent(
  tx: Tx,
  type: string,
  subjects: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<Pick<EventsRow, "subject">>`
    select distinct subject from events
     where organisation_id = ${tx.organisation} and subject = any (${subjects}) and type = ${type}`;
  return new Set(rows.map(({ subject }) => subject));
}

/** The events of a time, of these types or of all, oldest first. */
export async function eventsBetween(
  tx: Tx,
  { types, ...span }: RecordFilter & { readonly types: readonly string[] | null },
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, api_version, created_at from events
     where organisation_id = ${tx.organisation}
      ${createdIn(span, "evt", COLUMNS)}
      ${when(types, (value) => part`and type = any (${value})`)}
     order by id limit ${limit}`;
  return rows.map(fromRow);
}

/** Newest first, of records that the caller may read; `q` finds an event by its id, or those of a type or subject. */
export async function listEvents(
  tx: Tx,
  query: ListQuery<"subject" | "type">,
  readable: Readable | null,
): Promise<StoredEvent[]> {
  const rows = await tx.sql<EventRow>`
    select id, type, subject, sequence, data, api_version, created_at from events where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${when(query.subject, (subject) => part`and subject = ${subject}`)}
      ${when(query.type, (type) => part`and type = ${type}`)}
      ${createdIn(query, "evt", COLUMNS)}
      ${onlyReadable(readable, part`subject`)}
      ${when(query.q || null, (q) => searchCondition(q))}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

const searchCondition = (q: string) =>
  isEventName(q) ? part`and type = ${q}` : part`and (id = ${q} or subject = ${q})`;
