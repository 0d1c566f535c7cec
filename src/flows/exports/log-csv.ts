import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { AuditQuery } from "../../modules/audit-log/schema.ts";
import { listAuditEntries, type RecordedEntry } from "../../modules/audit-log/store.ts";
import type { EmailQuery } from "../../modules/emails/schema.ts";
import type { Email } from "../../modules/emails/types.ts";
import type { EventQuery } from "../../modules/events/schema.ts";
import { listEvents } from "../../modules/events/store.ts";
import type { StoredEvent } from "../../modules/events/types.ts";
import type { RequestQuery } from "../../modules/request-log/schema.ts";
import { listRequests } from "../../modules/request-log/store.ts";
import type { LoggedRequest } from "../../modules/request-log/types.ts";
import type { DeliveryQuery } from "../../modules/webhooks/schema.ts";
import { listDeliveries } from "../../modules/webhooks/store.ts";
import type { Delivery } from "../../modules/webhooks/types.ts";
import { readEmails } from "../mail/compose-mails.ts";
import type { MailTable } from "../mail/mail.ts";
import { listExport } from "./csv-export.ts";

/* Exports of lists that only grow: events, mails, deliveries, requests, the audit log. */

/** Mails without their texts, which may hold sign-in links. */
export const emailsCsv = (mails: MailTable) =>
  listExport<Email, typeof EmailQuery>({
    long: true,
    columns: {
      id: (row) => row.id,
      kind: (row) => row.kind,
      recipients: (row) => row.recipients.join(" "),
      replyTo: (row) => row.replyTo,
      fromName: (row) => row.fromName,
      subject: (row) => row.subject,
      status: (row) => row.status,
      error: (row) => row.error,
      createdAt: (row) => toTimestamp(row.createdAt),
      sentAt: (row) => toTimestampOrNull(row.sentAt),
    },
    list: (tx, query, ctx) => readEmails(tx, ctx, mails, query),
  });

/** Events without their data, which may hold addresses that give access to payments (decisions.md#exports-without-access). */
export const eventsCsv = listExport<StoredEvent, typeof EventQuery>({
  long: true,
  columns: {
    id: (row) => row.id,
    type: (row) => row.type,
    subject: (row) => row.subject,
    sequence: (row) => String(row.sequence),
    created: (row) => toTimestamp(row.createdAt),
  },
  list: listEvents,
});

/** Deliveries of webhooks, each with its last attempt. */
export const deliveriesCsv = listExport<Delivery, typeof DeliveryQuery>({
  long: true,
  columns: {
    id: (row) => row.id,
    eventId: (row) => row.eventId,
    eventType: (row) => row.eventType,
    endpointId: (row) => row.endpointId,
    status: (row) => row.status,
    attempts: (row) => String(row.attempts.length),
    lastAttemptAt: (row) => row.attempts.at(-1)?.at ?? null,
    statusCode: (row) => row.attempts.at(-1)?.statusCode?.toString() ?? null,
    error: (row) => row.attempts.at(-1)?.error ?? null,
    nextAttemptAt: (row) => toTimestampOrNull(row.nextAttemptAt),
  },
  list: listDeliveries,
});

/** Requests of API keys. */
export const requestLogCsv = listExport<LoggedRequest, typeof RequestQuery>({
  columns: {
    id: (row) => row.id,
    at: (row) => toTimestamp(row.at),
    method: (row) => row.method,
    path: (row) => row.path,
    parameters: (row) => row.parameters.replaceAll("&", " "),
    status: (row) => String(row.status),
    error: (row) => row.error,
    durationMs: (row) => String(row.durationMs),
    keyId: (row) => row.keyId,
    keyPrefix: (row) => `tefo_${row.keyPrefix}`,
    idempotency: (row) => row.idempotency,
  },
  list: listRequests,
});

/** Tokens in addresses of hosted pages, which give access to the page. */
const TOKEN = /[\w-]{60,}/g;

/** A record as JSON, without the tokens of its addresses. */
const json = (record: unknown): string | null =>
  record === null
    ? null
    : JSON.stringify(record, (_name, value: unknown) =>
        typeof value === "string" && value.startsWith("http") ? value.replaceAll(TOKEN, "…") : value,
      );

/** Entries of the audit log, with the record before and after as JSON. */
export const auditLogCsv = listExport<RecordedEntry, typeof AuditQuery>({
  long: true,
  columns: {
    id: (row) => row.id,
    at: (row) => toTimestamp(row.now),
    actorKind: (row) => row.actor.kind,
    actorId: (row) => row.actor.id,
    actorName: (row) => row.actor.name,
    ip: (row) => row.actor.ip,
    requestId: (row) => row.requestId,
    action: (row) => row.action,
    subject: (row) => row.subject,
    before: (row) => json(row.before),
    after: (row) => json(row.after),
  },
  list: listAuditEntries,
});
