import { newestFirst, type Position, positionOf } from "../../kernel/ids.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { changedFields } from "../../modules/audit-log/rules.ts";
import { auditOf, auditOfMaking } from "../../modules/audit-log/store.ts";
import { unpaidReferencesOf } from "../../modules/debit-batches/store/returned.ts";
import { disputesOf } from "../../modules/disputes/store.ts";
import { mailsAbout } from "../../modules/emails/store.ts";
import { eventsOf, eventsOfDebits } from "../../modules/events/store.ts";
import { eventDetail } from "../../modules/events/view.ts";
import { agreementsOf } from "../../modules/mandate-agreements/store.ts";
import { type HeldRole, mayDo } from "../../modules/members/rules.ts";
import { messagesAbout } from "../../modules/messages/store.ts";
import type { Message } from "../../modules/messages/types.ts";
import { notesAbout } from "../../modules/notes/store.ts";
import { findByIdOrReference } from "../../modules/payments/store/payments.ts";
import { deliveriesOfEvents } from "../../modules/webhooks/store.ts";
import type { Tx } from "../../platform/database.ts";
import { mayRead } from "../search/name-records.ts";
import type { RecordKinds } from "../search/record-kind.ts";
import { originOf } from "../search/related-records.ts";

/** The part of a timeline that is older than the entry with the id `startingAfter`. */
interface TimelineQuery {
  readonly subject: string;
  readonly limit: number;
  readonly startingAfter?: string | undefined;
}

/** How many unpaid debits the timeline of a batch names. */
const UNPAID_SHOWN = 100;

/**
 * The timeline of a record, newest first: its events with their deliveries, changes with their actors, mails, messages,
 * notes, and its origin. Contains only entries that the role may read; nothing of a record that it may not read. Ids of
 * all kinds are in one order, that of the machine's time. An unknown record has an empty timeline.
 */
export async function readTimeline(
  tx: Tx,
  kinds: RecordKinds,
  role: HeldRole,
  { subject, limit, startingAfter }: TimelineQuery,
) {
  if (!mayRead(kinds, role, subject)) return [];
  const subjects = await namesOf(tx, subject);
  const after = startingAfter === undefined ? null : positionOf(startingAfter);
  const wanted = (kind: string) => ({ before: after && idAt(after, kind), limit });
  const [made, events, changes, mails, messages, notes] = await Promise.all([
    makingOf(tx, kinds, role, subjects),
    eventsAbout(tx, subjects, wanted("evt")),
    mayDo(role, "audit_log:read") ? auditOf(tx, subjects, wanted("aud")) : [],
    mayDo(role, "emails:read") ? mailsAbout(tx, subjects, wanted("mail")) : [],
    mayDo(role, "emails:read") ? messagesAbout(tx, subjects, wanted("msg")) : [],
    mayDo(role, "notes:read") ? notesAbout(tx, subjects, wanted("note")) : [],
  ]);
  const deliveries = Map.groupBy(
    await deliveriesOfEvents(tx, mayDo(role, "events:read") ? events.map(({ id }) => id) : []),
    ({ eventId }) => eventId,
  );
  const entries = [
    // No entry of a record is older than its origin, so no page follows it.
    ...(made && (startingAfter === undefined || newestFirst(startingAfter, made.id) < 0) ? [made] : []),
    ...events.map((event) => ({
      id: event.id,
      kind: "event" as const,
      at: toTimestamp(event.createdAt),
      type: event.type,
      detail: eventDetail(event),
      path: `/events/${event.id}`,
      deliveries: (deliveries.get(event.id) ?? []).map(({ id, endpointId, status, attempts }) => ({
        id,
        endpointId,
        status,
        attempts: attempts.length,
      })),
    })),
    ...changes.map((change) => ({
      id: change.id,
      kind: "change" as const,
      at: toTimestamp(change.now),
      action: change.action,
      actor: { kind: change.actor.kind, id: change.actor.id, name: change.actor.name },
      changed: changedFields(change.before, change.after),
    })),
    ...mails.map(mailEntry),
    ...messages.map(messageEntry),
    ...notes.map((note) => ({
      id: note.id,
      kind: "note" as const,
      at: toTimestamp(note.createdAt),
      text: note.text,
      author: { id: note.memberId, name: note.authorName },
    })),
  ];
  return entries.toSorted((one, other) => newestFirst(one.id, other.id)).slice(0, limit);
}

const mailEntry = (mail: Awaited<ReturnType<typeof mailsAbout>>[number]) => ({
  id: mail.id,
  kind: "mail" as const,
  at: toTimestamp(mail.createdAt),
  mail: mail.kind,
  recipients: mail.recipients,
  status: mail.status,
  path: `/emails/${mail.id}`,
});

const messageEntry = (message: Message) => ({
  id: message.id,
  kind: "message" as const,
  at: toTimestamp(message.createdAt),
  channel: message.channel,
  message: message.kind,
  recipient: message.recipient,
  status: message.status,
  path: `/messages/${message.id}`,
});

/** The events of a record, and for a batch of debits those of its debits that were returned unpaid. */
async function eventsAbout(tx: Tx, subjects: readonly string[], wanted: Parameters<typeof eventsOf>[2]) {
  const own = await eventsOf(tx, subjects, wanted);
  const [batch = ""] = subjects;
  const unpaid = batch.startsWith("dbat_") ? await unpaidReferencesOf(tx, batch, UNPAID_SHOWN) : [];
  if (unpaid.length === 0) return own;
  const ofDebits = await eventsOfDebits(tx, unpaid, wanted);
  return [...own, ...ofDebits].toSorted((one, other) => newestFirst(one.id, other.id)).slice(0, wanted.limit);
}

/** Who made a record and from which other record; null when one of its entries has the actor. */
async function makingOf(tx: Tx, kinds: RecordKinds, role: HeldRole, subjects: readonly string[]) {
  const origin = await originOf(tx, kinds, subjects[0] ?? "");
  const position = origin && positionOf(origin.id);
  if (!position) return null;
  const { id, madeAt, from, by } = origin;
  const about = [...subjects, ...(from === null ? [] : await namesOf(tx, from))];
  const entry = await auditOfMaking(tx, about, madeAt, idAt(position, "aud"));
  if (entry?.subject && subjects.includes(entry.subject)) return null;
  const actor = entry?.actor ?? { kind: by, id: null, name: null };
  return {
    id,
    kind: "made" as const,
    at: toTimestamp(madeAt),
    from,
    actor: mayDo(role, "audit_log:read") ? { kind: actor.kind, id: actor.id, name: actor.name } : null,
  };
}

/**
 * The subjects of a record in events, mails and the audit log: a transaction by its reference, its id and its disputes,
 * a mandate by its own id and by those of its agreements, any other by its id.
 */
async function namesOf(tx: Tx, subject: string): Promise<string[]> {
  if (subject.startsWith("man_")) return [subject, ...(await agreementsOf(tx, subject))];
  const payment = await findByIdOrReference(tx, subject);
  if (!payment) return [subject];
  const disputes = await disputesOf(tx, payment.id);
  return [payment.id, payment.reference, ...disputes.map(({ id }) => id)];
}

const idAt = ({ base32, hex }: Position, kind: string): string => `${kind}_${kind === "evt" ? hex : base32}`;
