import { listExport } from "../../flows/exports/csv-export.ts";
import { readableBy } from "../../flows/search/readable.ts";
import type { RecordKinds } from "../../flows/search/record-kind.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { AuditEntryObject, AuditQuery, auditEntryView } from "../../modules/audit-log/schema.ts";
import type { RecordedEntry } from "../../modules/audit-log/store.ts";
import { listAuditEntries } from "../../modules/audit-log/store.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

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
export const auditLogCsv = (kinds: RecordKinds) =>
  listExport<RecordedEntry, typeof AuditQuery>({
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
    list: (tx, query, ctx) => listAuditEntries(tx, query, readableBy(kinds, ctx)),
  });

/** The endpoints of interface 14.2, audit log. */
export const auditLogEndpoints = (kinds: RecordKinds): readonly Endpoint[] => [
  endpoint({
    audience: "staff",
    tag: { name: "Audit log", about: "Who did what." },
    method: "GET",
    path: "/audit-log",
    summary: "List who did what, newest first",
    permission: "audit_log:read",
    query: AuditQuery,
    replies: { 200: listOf(AuditEntryObject) },
    async handle(call, tx) {
      const readable = readableBy(kinds, call.ctx);
      return listed(call, (wanted) => listAuditEntries(tx, wanted, readable), auditEntryView);
    },
  }),
  listEndpoint(
    "audit-log",
    "Entries of the audit log",
    "audit_log:read",
    AuditQuery.omit(PAGING),
    auditLogCsv(kinds),
    undefined,
    "staff",
  ),
];
