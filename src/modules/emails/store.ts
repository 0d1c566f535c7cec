// Writes: emails. Reads nothing else.

import type { EmailId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import type { ListQuery } from "../../platform/schema.ts";
import type { Email } from "./types.ts";

/** A mail before anything is done about sending it. */
export interface NewEmail {
  readonly id: EmailId;
  /** What makes it happen once: recorded again under the same key, nothing happens. */
  readonly dedupeKey: string;
  /** What it is about, such as `invitation`; for staff who look for one. */
  readonly kind: string;
  readonly recipients: readonly string[];
  readonly replyTo: string | null;
  readonly fromName: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly createdAt: Instant;
}

/** Writes the mail, and with `send` asks for it to be sent at once. Nothing when its key is known. */
export function insertEmail(tx: Tx, email: NewEmail, { send }: { send: boolean }): void {
  tx.queue`
    with recorded as (
      insert into emails (organisation_id, id, dedupe_key, kind, recipients, reply_to, from_name, subject, text_body, html_body,
        status, created_at)
      values (${tx.organisation}, ${email.id}, ${email.dedupeKey}, ${email.kind}, ${email.recipients}, ${email.replyTo},
        ${email.fromName}, ${email.subject}, ${email.text}, ${email.html}, ${send ? "queued" : "recorded"}, ${email.createdAt})
      on conflict (organisation_id, dedupe_key) do nothing returning id, status, created_at)
    select enqueue_due_work('mail.send', id, created_at) from recorded where status = 'queued'`;
}

interface EmailRow {
  id: string;
  kind: string;
  recipients: string[];
  reply_to: string | null;
  from_name: string;
  subject: string;
  text_body: string;
  html_body: string;
  status: string;
  error: string | null;
  created_at: Date;
  sent_at: Date | null;
}

const fromRow = (row: EmailRow): Email => ({
  id: row.id as EmailId,
  kind: row.kind,
  recipients: row.recipients,
  replyTo: row.reply_to,
  fromName: row.from_name,
  subject: row.subject,
  text: row.text_body,
  html: row.html_body,
  status: row.status as Email["status"],
  error: row.error,
  createdAt: row.created_at as Instant,
  sentAt: row.sent_at as Instant | null,
});

/** Newest first; `q` searches subject and recipients. */
export async function listEmails(tx: Tx, query: ListQuery<"kind" | "recipient" | "status">): Promise<Email[]> {
  const like = query.q ? containing(query.q) : null;
  const rows = await tx.sql<EmailRow>`
    select * from emails where organisation_id = ${tx.organisation}
      ${query.startingAfter === undefined ? NOTHING : part`and id < ${query.startingAfter}`}
      ${query.kind === undefined ? NOTHING : part`and kind = ${query.kind}`}
      ${query.status === undefined ? NOTHING : part`and status = ${query.status}`}
      ${query.recipient === undefined ? NOTHING : part`and exists (select 1 from unnest(recipients) as r(address) where lower(address) = lower(${query.recipient}))`}
      ${like === null ? NOTHING : part`and (subject ilike ${like} or exists (select 1 from unnest(recipients) as r(address) where address ilike ${like}))`}
     order by id desc limit ${query.limit}`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findEmail(tx: Tx, id: string): Promise<Email | null> {
  const [row] = await tx.sql<EmailRow>`select * from emails where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** From `queued` to `sending`, so that nobody else sends it; null when it is not queued. */
export async function beginSending(tx: Tx, id: string): Promise<Email | null> {
  const [row] = await tx.sql<EmailRow>`
    update emails set status = 'sending' where organisation_id = ${tx.organisation} and id = ${id} and status = 'queued' returning *`;
  return row ? fromRow(row) : null;
}

/** What came of a mail that was being sent, or was thought to be lost on the way. */
export function recordSending(
  tx: Tx,
  id: EmailId,
  result: { status: "queued" | "sent" | "failed" | "unknown"; error: string | null; sentAt: Instant | null },
): void {
  tx.queue`
    update emails set status = ${result.status}, error = ${result.error}, sent_at = ${result.sentAt}
     where organisation_id = ${tx.organisation} and id = ${id} and status in ('sending', 'unknown')`;
}

/** Nobody is at it any more: what was being sent may have been sent or not, and what is queued stays recorded when mail is not set up. */
export function giveUpSending(tx: Tx, id: string, { sends }: { sends: boolean }): void {
  tx.queue`
    update emails set status = 'unknown', error = 'The process that was sending it ended before the mail server had answered.'
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'sending'`;
  if (!sends)
    tx.queue`update emails set status = 'recorded' where organisation_id = ${tx.organisation} and id = ${id} and status = 'queued'`;
}
