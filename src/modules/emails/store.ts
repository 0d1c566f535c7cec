// Writes: emails. Reads nothing else.

import { type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { onlyReadable, type Readable } from "../../domain/records.ts";
import type { EmailsRow } from "../../domain/rows.ts";
import type { EmailId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import { type CalendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { NOTHING, part, type Tx, when } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import { MAIL_COMPOSE, MAIL_SEND } from "./declarations.ts";
import {
  type Email,
  type EmailContent,
  type MailFacts,
  NO_CONTENT,
  type RequestedMail,
  type UnwrittenEmail,
} from "./types.ts";

/** `SealContext.column` of the secrets of mails that are not written yet. */
export const MAIL_SECRET_COLUMN = "emails.secret";

/** A requested mail to insert. */
export interface NewEmail extends RequestedMail<MailFacts> {
  readonly id: EmailId;
  /** A second mail with the same key is not inserted. */
  readonly dedupeKey: string;
  readonly kind: string;
  /** At least one address. */
  readonly recipients: readonly string[];
}

const INSERTED: RowColumns<NewEmail> = {
  id: ["text", ({ id }) => id],
  dedupe_key: ["text", ({ dedupeKey }) => dedupeKey],
  kind: ["text", ({ kind }) => kind],
  recipients: ["jsonb", ({ recipients }) => JSON.stringify(recipients)],
  about: ["text", ({ about }) => about],
  facts: ["jsonb", ({ facts }) => JSON.stringify(facts)],
  secret_sealed: ["text", ({ secretSealed }) => secretSealed],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
};

/**
 * Inserts mails and enqueues their writing; with `send` they wait to be sent. With `once`, nothing for a mail whose key
 * exists.
 */
export function insertEmails(
  tx: Tx,
  emails: readonly NewEmail[],
  { send, once }: { send: boolean; once: boolean },
): void {
  if (emails.length === 0) return;
  tx.queue`
    insert into emails (organisation_id, id, dedupe_key, kind, recipients, about, facts, secret_sealed, status, created_at)
    select ${tx.organisation}, n.id, n.dedupe_key, n.kind, array(select jsonb_array_elements_text(n.recipients)),
           n.about, n.facts, n.secret_sealed, ${send ? "queued" : "recorded"}, n.created_at from ${rowsOf(emails, INSERTED)}
    ${once ? part`on conflict (organisation_id, dedupe_key) do nothing` : NOTHING} returning id`;
  const ids = emails.map(({ id }) => id);
  // Before the commit, as `enqueue`: who holds the clock locks nothing afterwards.
  if (once)
    tx.beforeCommit(
      () => tx.queue`
        select enqueue_due_work(${MAIL_COMPOSE.kind}, id, created_at) from emails
         where organisation_id = ${tx.organisation} and id = any (${ids})`,
    );
  else for (const { id, createdAt } of emails) enqueue(tx, MAIL_COMPOSE, id, createdAt);
}

/**
 * Stores the content of each mail and, when it waits to be sent and mail is set up (`sends`), enqueues its sending, in one statement each.
 * Nothing for a mail that is written already.
 */
export async function saveContents(
  tx: Tx,
  written: readonly (EmailContent & { readonly id: EmailId })[],
  { sends }: { sends: boolean },
): Promise<void> {
  if (written.length === 0) return;
  const of = (field: keyof EmailContent | "id") => written.map((mail) => mail[field]);
  const saved = await tx.sql<Pick<EmailsRow, "id" | "status" | "created_at">>`
    update emails e set from_name = w.from_name, reply_to = w.reply_to, subject = w.subject, text_body = w.text, html_body = w.html,
           facts = null, secret_sealed = null, status = case when e.status = 'queued' and not ${sends} then 'recorded' else e.status end
      from unnest(${of("id")}::text[], ${of("fromName")}::text[], ${of("replyTo")}::text[], ${of("subject")}::text[], ${of("text")}::text[],
             ${of("html")}::text[]) as w(id, from_name, reply_to, subject, text, html)
     where e.organisation_id = ${tx.organisation} and e.id = w.id and e.facts is not null returning e.id, e.status, e.created_at`;
  for (const mail of saved) if (mail.status === "queued") enqueue(tx, MAIL_SEND, mail.id, mail.created_at);
}

/** Marks a mail that can never be written as failed. `error` is shown to staff. */
export function saveUnwritable(tx: Tx, id: EmailId, error: string): void {
  const { fromName, subject, text, html } = NO_CONTENT;
  tx.queue`
    update emails set from_name = ${fromName}, subject = ${subject}, text_body = ${text}, html_body = ${html}, facts = null,
           secret_sealed = null, status = 'failed', error = ${error}
     where organisation_id = ${tx.organisation} and id = ${id} and facts is not null`;
}

function fromRow(row: EmailsRow): Email | UnwrittenEmail {
  const createdAt = row.created_at;
  const record = {
    id: row.id,
    kind: row.kind,
    recipients: row.recipients,
    status: row.status,
    error: row.error,
    createdAt,
    sentAt: row.sent_at,
  };
  if (row.facts !== null) {
    const facts = row.facts as MailFacts;
    return { ...record, request: { about: row.about ?? "", facts, secretSealed: row.secret_sealed, createdAt } };
  }
  return {
    ...record,
    request: null,
    replyTo: row.reply_to,
    fromName: row.from_name ?? "",
    subject: row.subject ?? "",
    text: row.text_body ?? "",
    html: row.html_body ?? "",
  };
}

/** Mails about any of these, without their text, newest first, older than the id `before`. */
export async function mailsAbout(
  tx: Tx,
  subjects: readonly string[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<Pick<Email, "id" | "kind" | "recipients" | "status" | "createdAt">[]> {
  const rows = await tx.sql<Pick<EmailsRow, "id" | "kind" | "recipients" | "status" | "created_at">>`
    select id, kind, recipients, status, created_at from emails
     where organisation_id = ${tx.organisation} and about = any (${subjects})
      ${when(before, (value) => part`and id < ${value}`)}
     order by id desc limit ${limit}`;
  return rows.map(({ created_at, ...row }) => ({ ...row, createdAt: created_at }));
}

/**
 * Newest first, about records that the caller may read; `q` searches subject and recipients, and also finds every mail
 * that is not written yet.
 */
export async function listEmails(
  tx: Tx,
  query: ListQuery<"kind" | "recipient" | "status"> & { readonly from?: CalendarDay | undefined },
  readable: Readable | null,
): Promise<(Email | UnwrittenEmail)[]> {
  const like = query.q ? containing(query.q) : null;
  const rows = await tx.sql<EmailsRow>`
    select * from emails where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${onlyReadable(readable, part`about`)}
      ${when(query.kind, (kind) => part`and kind = ${kind}`)}
      ${when(query.status, (status) => part`and status = ${status}`)}
      ${when(query.from, (from) => part`and created_at >= ${startOfDay(from)}`)}
      ${when(
        query.recipient,
        (recipient) => part`and exists (select 1 from unnest(recipients) as r(address)
                                                              where lower(address) = lower(${recipient}))`,
      )}
      ${when(
        like,
        (value) => part`and (facts is not null or subject ilike ${value}
                                        or exists (select 1 from unnest(recipients) as r(address)
                                                   where address ilike ${value}))`,
      )}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Null when absent, another organisation's, or about a record that the caller may not read; null `readable`: all. */
export async function findEmail(tx: Tx, id: string, readable: Readable | null): Promise<Email | UnwrittenEmail | null> {
  const [row] = await tx.sql<EmailsRow>`
    select * from emails where organisation_id = ${tx.organisation} and id = ${id} ${onlyReadable(readable, part`about`)}`;
  return row ? fromRow(row) : null;
}

/** Those of these mails that are not written yet. */
export async function unwrittenEmails(tx: Tx, ids: readonly string[]): Promise<UnwrittenEmail[]> {
  const rows = await tx.sql<EmailsRow>`
    select * from emails where organisation_id = ${tx.organisation} and id = any (${ids}) and facts is not null order by id`;
  return rows.map(fromRow).filter((email) => email.request !== null);
}

/** Moves a mail from `queued` to `sending`, so that no other process sends it. Null when it is not queued. */
export async function beginSending(tx: Tx, id: string): Promise<Email | null> {
  const [row] = await tx.sql<EmailsRow>`
    update emails set status = 'sending'
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'queued' and facts is null returning *`;
  const email = row && fromRow(row);
  return email?.request === null ? email : null;
}

/** Stores the result of sending. */
export function recordSending(
  tx: Tx,
  id: EmailId,
  result: { status: "queued" | "sent" | "failed" | "unknown"; error: string | null; sentAt: Instant | null },
): void {
  tx.queue`
    update emails set status = ${result.status}, error = ${result.error}, sent_at = ${result.sentAt}
     where organisation_id = ${tx.organisation} and id = ${id} and status in ('sending', 'unknown')`;
}

/**
 * Ends the sending of a mail whose process has ended: one in `sending` becomes `unknown`, since it may have been sent. When mail is
 * not set up (`sends`), one that is queued becomes `recorded`.
 */
export function giveUpSending(tx: Tx, id: string, { sends }: { sends: boolean }): void {
  tx.queue`
    update emails set status = 'unknown', error = 'The process that was sending it ended before the mail server had answered.'
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'sending'`;
  if (!sends)
    tx.queue`update emails set status = 'recorded' where organisation_id = ${tx.organisation} and id = ${id} and status = 'queued'`;
}

/** Secrets of mails that are not written yet. */
export const SEALED_MAIL_SECRETS: SealedColumn = {
  column: "emails.secret_sealed",
  sealedFor: MAIL_SECRET_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, secret_sealed as sealed from emails
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(secret_sealed, ${current})
     order by id limit ${limit}`,
  replace(tx, id, before, after) {
    tx.queue`
      update emails set secret_sealed = ${after}
       where organisation_id = ${tx.organisation} and id = ${id} and secret_sealed = ${before}`;
  },
};

/** The newest mail that could not be sent; null when there is none. */
export async function lastFailedMail(tx: Tx): Promise<{ readonly at: Instant; readonly error: string | null } | null> {
  const [row] = await tx.sql<{ at: Instant; error: string | null }>`
    select created_at as at, error from emails
     where organisation_id = ${tx.organisation} and status = 'failed' order by id desc limit 1`;
  return row ?? null;
}
