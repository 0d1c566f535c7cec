import { AuditEntryObject, AuditQuery, auditEntryView } from "../../modules/audit-log/schema.ts";
import { listAuditEntries } from "../../modules/audit-log/store.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

/** Interface 14.2, audit log. */
export const auditLogEndpoints = [
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
      return listed(call, (wanted) => listAuditEntries(tx, wanted), auditEntryView);
    },
  }),
];
