// Writes: audit_log. Reads nothing else.

import { type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { onlyReadable, type Readable } from "../../domain/records.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";

/** One entry of the audit log: who did what, from which address, and the record before and after (docs/architecture.md, Data). */
export interface AuditEntry {
  readonly now: Instant;
  readonly actor: {
    readonly kind: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly ip: string | null;
  };
  readonly requestId: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** The record before, as a reader of the log may see it: no secrets. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Writes the entry in the transaction of the change. */
export function recordAudit(tx: Tx, entry: AuditEntry): void {
  const { actor } = entry;
  tx.queue`
    insert into audit_log (organisation_id, id, at, actor_kind, actor_id, actor_name, ip, request_id, action, subject, before, after)
    values (${tx.organisation}, ${newId("aud")}, ${entry.now}, ${actor.kind}, ${actor.id}, ${actor.name}, ${actor.ip},
      ${entry.requestId}, ${entry.action}, ${entry.subject}, ${json(entry.before)}, ${json(entry.after)})`;
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** An entry as it was recorded. */
export type RecordedEntry = AuditEntry & { readonly id: string };

interface AuditRow {
  id: string;
  at: Instant;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string | null;
  ip: string | null;
  request_id: string | null;
  action: string;
  subject: string | null;
  before: unknown;
  after: unknown;
}

const fromRow = (row: AuditRow): RecordedEntry => ({
  id: row.id,
  now: row.at,
  actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name, ip: row.ip },
  requestId: row.request_id,
  action: row.action,
  subject: row.subject,
  before: row.before,
  after: row.after,
});

/** Entries about any of these subjects, newest first, older than the id `before`. */
export async function auditOf(
  tx: Tx,
  subjects: readonly string[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<RecordedEntry[]> {
  const rows = await tx.sql<AuditRow>`
    select * from audit_log where organisation_id = ${tx.organisation} and subject = any (${subjects})
      ${when(before, (value) => part`and id < ${value}`)}
     order by id desc limit ${limit}`;
  return rows.map(fromRow);
}

/**
 * The entry of the change that made the record with the id `after`: the first one about any of these subjects that was
 * written at the moment `at` of the organisation's clock, after that record. Null when there is none.
 */
export async function auditOfMaking(
  tx: Tx,
  subjects: readonly string[],
  at: Instant,
  after: string,
): Promise<RecordedEntry | null> {
  const [row] = await tx.sql<AuditRow>`
    select * from audit_log where organisation_id = ${tx.organisation} and subject = any (${subjects}) and at = ${at} and id > ${after}
     order by id limit 1`;
  return row ? fromRow(row) : null;
}

/** Newest first, about records that the caller may read; `q` searches action, subject and the actor's name. */
export async function listAuditEntries(
  tx: Tx,
  query: ListQuery<"actorId" | "action" | "subject">,
  readable: Readable | null = null,
): Promise<RecordedEntry[]> {
  const like = query.q ? containing(query.q) : null;
  const rows = await tx.sql<AuditRow>`
    select * from audit_log where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${when(query.actorId, (actorId) => part`and actor_id = ${actorId}`)}
      ${when(query.action, (action) => part`and action = ${action}`)}
      ${when(query.subject, (subject) => part`and subject = ${subject}`)}
      ${onlyReadable(readable, part`subject`)}
      ${when(like, (value) => part`and (action ilike ${value} or subject ilike ${value} or actor_name ilike ${value})`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}
