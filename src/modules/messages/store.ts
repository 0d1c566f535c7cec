// Writes: messages, message_accounts, message_opt_outs. Reads nothing else.

import { type ListQuery, newestFirst, oldestFirst, onPage, onPageUp, type PageQuery } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import { onlyReadable, type Readable } from "../../domain/records.ts";
import type { MessageAccountsRow, MessageOptOutsRow, MessagesRow } from "../../domain/rows.ts";
import type { Channel, MessageParts } from "../../kernel/messages.ts";
import { containing, endOfPrefix } from "../../kernel/text.ts";
import { type CalendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import { MESSAGE_SEND } from "./declarations.ts";
import type { Message, MessageAccount, MessageKind, OptOut } from "./types.ts";

/** `SealContext.column` of the credentials of providers. */
export const MESSAGE_CREDENTIALS_COLUMN = "message_accounts.credentials";

const accountFromRow = (row: MessageAccountsRow): MessageAccount => ({
  id: row.id,
  channel: row.channel,
  provider: row.provider,
  enabled: row.enabled,
  credentialsSealed: row.credentials_sealed,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The accounts at providers of messages, at most one for each channel. */
export async function listMessageAccounts(tx: Tx): Promise<MessageAccount[]> {
  const rows = await tx.sql<MessageAccountsRow>`
    select * from message_accounts where organisation_id = ${tx.organisation} order by channel`;
  return rows.map(accountFromRow);
}

/** The account of a channel; null when there is none. */
export async function findMessageAccount(tx: Tx, channel: Channel): Promise<MessageAccount | null> {
  const [row] = await tx.sql<MessageAccountsRow>`
    select * from message_accounts where organisation_id = ${tx.organisation} and channel = ${channel}`;
  return row ? accountFromRow(row) : null;
}

/** As `findMessageAccount`, and locks the account until the transaction ends. */
export async function lockMessageAccount(tx: Tx, channel: Channel): Promise<MessageAccount | null> {
  const [row] = await locking(tx, "message account").sql<MessageAccountsRow>`
    select * from message_accounts where organisation_id = ${tx.organisation} and channel = ${channel} for update`;
  return row ? accountFromRow(row) : null;
}

/** The account of an address for reports; null when it was removed. */
export async function findMessageAccountById(tx: Tx, id: string): Promise<MessageAccount | null> {
  const [row] = await tx.sql<MessageAccountsRow>`
    select * from message_accounts where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? accountFromRow(row) : null;
}

/** Stores the account of a channel in place of the one that there was, whose address for reports is then gone. */
export function saveMessageAccount(tx: Tx, account: MessageAccount): void {
  tx.queue`
    insert into message_accounts as a (organisation_id, id, channel, provider, enabled, credentials_sealed, created_at, updated_at)
    values (${tx.organisation}, ${account.id}, ${account.channel}, ${account.provider}, ${account.enabled},
      ${account.credentialsSealed}, ${account.createdAt}, ${account.updatedAt})
    on conflict (organisation_id, channel) do update set id = excluded.id, provider = excluded.provider, enabled = excluded.enabled,
      credentials_sealed = excluded.credentials_sealed, created_at = excluded.created_at, updated_at = excluded.updated_at`;
}

/** Removes the account of a channel. */
export function deleteMessageAccount(tx: Tx, channel: Channel): void {
  tx.queue`delete from message_accounts where organisation_id = ${tx.organisation} and channel = ${channel}`;
}

/** Credentials, for `secrets rotate`. */
export const SEALED_MESSAGE_CREDENTIALS: SealedColumn = {
  column: "message_accounts.credentials_sealed",
  sealedFor: MESSAGE_CREDENTIALS_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, credentials_sealed as sealed from message_accounts
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(credentials_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update message_accounts set credentials_sealed = ${after} where organisation_id = ${tx.organisation} and id = ${id}
        and credentials_sealed = ${before}`,
};

const fromRow = (row: MessagesRow): Message => ({
  id: row.id,
  channel: row.channel,
  kind: row.kind as MessageKind,
  about: row.about,
  customerId: row.customer_id,
  recipient: row.recipient,
  text: row.body,
  parts: row.parts as MessageParts | null,
  segments: row.segments,
  provider: row.provider,
  providerRef: row.provider_ref,
  status: row.status,
  error: row.error,
  createdAt: row.created_at,
  leavesAt: row.leaves_at,
  sentAt: row.sent_at,
  deliveredAt: row.delivered_at,
});

/** Inserts a message that waits to be sent, and its due work. */
export function insertMessage(tx: Tx, message: Message): void {
  tx.queue`
    insert into messages (organisation_id, id, channel, kind, about, customer_id, recipient, body, parts, segments, provider,
      status, created_at, leaves_at)
    values (${tx.organisation}, ${message.id}, ${message.channel}, ${message.kind}, ${message.about},
      ${message.customerId}, ${message.recipient}, ${message.text}, ${message.parts}, ${message.segments},
      ${message.provider}, ${message.status}, ${message.createdAt}, ${message.leavesAt})`;
  enqueue(tx, MESSAGE_SEND, message.id, message.leavesAt);
}

/** Null when absent, another organisation's, or about a record that the caller may not read; null `readable`: all. */
export async function findMessage(tx: Tx, id: string, readable: Readable | null): Promise<Message | null> {
  const [row] = await tx.sql<MessagesRow>`
    select * from messages where organisation_id = ${tx.organisation} and id = ${id} ${onlyReadable(readable, part`about`)}`;
  return row ? fromRow(row) : null;
}

type MessageFilter = ListQuery<"kind" | "channel" | "status" | "customerId"> & {
  readonly from?: CalendarDay | undefined;
};

/** Newest first, about records that the caller may read; `q` searches the text and the number. */
export async function listMessages(tx: Tx, query: MessageFilter, readable: Readable | null): Promise<Message[]> {
  const rows = await tx.sql<MessagesRow>`
    select * from messages where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${onlyReadable(readable, part`about`)}
      ${when(query.kind, (kind) => part`and kind = ${kind}`)}
      ${when(query.channel, (channel) => part`and channel = ${channel}`)}
      ${when(query.status, (status) => part`and status = ${status}`)}
      ${when(query.customerId, (customer) => part`and customer_id = ${customer}`)}
      ${when(query.from, (from) => part`and created_at >= ${startOfDay(from)}`)}
      ${when(query.q, (q) => part`and (body ilike ${containing(q)} or recipient like ${containing(q)})`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Messages about any of these records, or to the customer among them, newest first, older than the id `before`. */
export async function messagesAbout(
  tx: Tx,
  subjects: readonly string[],
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<Message[]> {
  const older = when(before, (value) => part`and id < ${value}`);
  const rows = await tx.sql<MessagesRow>`
    (select * from messages where organisation_id = ${tx.organisation} and about = any (${subjects}) ${older}
      order by id desc limit ${limit})
    union
    (select * from messages where organisation_id = ${tx.organisation} and customer_id = any (${subjects}) ${older}
      order by id desc limit ${limit})
    order by id desc limit ${limit}`;
  return rows.map(fromRow);
}

/** Whether a newer message of the kind about the same record went to the same number by the same channel, or waits to. */
export async function hasNewer(
  tx: Tx,
  { id, about, kind, channel, recipient }: Pick<Message, "id" | "about" | "kind" | "channel" | "recipient">,
): Promise<boolean> {
  const rows = await tx.sql`
    select id from messages where organisation_id = ${tx.organisation} and about = ${about} and id > ${id} and kind = ${kind}
       and channel = ${channel} and recipient = ${recipient} and status not in ('failed', 'not_sent') limit 1`;
  return rows.length > 0;
}

/** Moves a message from `queued` to `sending`, so that no other process sends it. Null when it is not queued. */
export async function beginMessage(tx: Tx, id: string): Promise<Message | null> {
  const [row] = await tx.sql<MessagesRow>`
    update messages set status = 'sending', error = null
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'queued' returning *`;
  return row ? fromRow(row) : null;
}

/** Puts off a message that is not sent yet. */
export function putOffMessage(tx: Tx, id: string, until: Instant): void {
  tx.queue`
    update messages set status = 'queued', leaves_at = ${until}
     where organisation_id = ${tx.organisation} and id = ${id} and status in ('queued', 'sending')`;
}

/** Stores the result of sending, unless a report was quicker. */
export function recordMessage(
  tx: Tx,
  id: string,
  result: {
    readonly status: "queued" | "sent" | "failed" | "unknown" | "not_sent";
    readonly error: string | null;
    readonly ref: string | null;
    readonly sentAt: Instant | null;
  },
): void {
  tx.queue`
    update messages set status = ${result.status}, error = ${result.error}, provider_ref = ${result.ref}, sent_at = ${result.sentAt}
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'sending'`;
  // A report that was quicker knows more, but not the provider's id.
  if (result.ref !== null)
    tx.queue`
      update messages set provider_ref = ${result.ref}
       where organisation_id = ${tx.organisation} and id = ${id} and provider_ref is null`;
}

/** Ends the sending of a message whose process has ended: it may have been sent. */
export function giveUpMessage(tx: Tx, id: string): void {
  tx.queue`
    update messages set status = 'unknown', error = 'The process that was sending it ended before the provider had answered.'
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'sending'`;
}

/**
 * Applies a report of the provider, by our id or the provider's. A message only moves forward: `delivered` stays, and so does `failed`
 * unless it was delivered after all. Repeated reports change nothing.
 */
export function applyReport(
  tx: Tx,
  provider: string,
  report: {
    readonly id: string | null;
    readonly ref: string | null;
    readonly status: "sent" | "delivered" | "failed";
    readonly reason: string | null;
  },
  now: Instant,
): void {
  const { id, ref, status, reason } = report;
  const [from, deliveredAt] =
    status === "delivered"
      ? [["queued", "sending", "sent", "unknown", "failed"], now]
      : status === "failed"
        ? [["queued", "sending", "sent", "unknown"], null]
        : [["sending", "unknown"], null];
  tx.queue`
    update messages set status = ${status}, error = ${reason}, delivered_at = ${deliveredAt},
           provider_ref = coalesce(provider_ref, ${ref}),
           sent_at = case when ${status} = 'failed' then sent_at else coalesce(sent_at, ${now}) end
     where organisation_id = ${tx.organisation} and provider = ${provider} and status = any (${from})
       and (id = ${id} or (${id}::text is null and provider_ref = ${ref}))`;
}

/** Whether the owner of a number has asked for no more messages. */
export const hasOptedOut = async (tx: Tx, phone: string): Promise<boolean> => (await optedOut(tx, [phone])).has(phone);

/** Those of these numbers whose owners have asked for no more messages. */
export async function optedOut(tx: Tx, phones: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<Pick<MessageOptOutsRow, "phone">>`
    select phone from message_opt_outs where organisation_id = ${tx.organisation} and phone = any (${phones})`;
  return new Set(rows.map(({ phone }) => phone));
}

/** Records that a number wants no messages. False when it was known. */
export async function insertOptOut(tx: Tx, { phone, createdAt }: OptOut): Promise<boolean> {
  const rows = await tx.sql`
    insert into message_opt_outs (organisation_id, phone, created_at) values (${tx.organisation}, ${phone}, ${createdAt})
    on conflict (organisation_id, phone) do nothing returning phone`;
  return rows.length > 0;
}

/** The numbers whose owners want no messages, ascending, by which pages are named; `q` is the beginning of a number. */
export async function listOptOuts(
  tx: Tx,
  { q, ...query }: PageQuery & { readonly q?: string | undefined },
): Promise<(OptOut & { readonly id: string })[]> {
  const rows = await tx.sql<MessageOptOutsRow>`
    select * from message_opt_outs where organisation_id = ${tx.organisation}
      ${when(q || undefined, (start) => part`and phone >= ${start} and phone < ${endOfPrefix(start)}`)} ${onPageUp(query, part`phone`)}
     ${oldestFirst(query, part`phone`)}`;
  return rows.map(({ phone, created_at }) => ({ id: phone, phone, createdAt: created_at }));
}

/** Removes the wish of a number, and returns it; null when it had none. */
export async function deleteOptOut(tx: Tx, phone: string): Promise<OptOut | null> {
  const [row] = await tx.sql<MessageOptOutsRow>`
    delete from message_opt_outs where organisation_id = ${tx.organisation} and phone = ${phone} returning *`;
  return row ? { phone: row.phone, createdAt: row.created_at } : null;
}
