import { AuditEntryObject, AuditQuery } from "../../modules/audit-log/schema.ts";
import { listAuditEntries } from "../../modules/audit-log/store.ts";
import { auditEntryView } from "../../modules/audit-log/view.ts";
import { endpoint } from "../endpoint.ts";
import { listBody, listOf, page } from "../lists.ts";

/** Contract 5, audit log. */
export const auditLogEndpoints = [
  endpoint({
    tag: "Audit log",
    method: "GET",
    path: "/audit-log",
    summary: "Who did what, newest first",
    permission: "audit_log:read",
    query: AuditQuery,
    replies: { 200: listOf(AuditEntryObject) },
    async handle({ ctx, query }, tx) {
      const { items, ...paging } = await page(query, (limit) => listAuditEntries(tx, { ...query, limit }));
      return { status: 200, body: listBody(ctx, items.map(auditEntryView), paging) };
    },
  }),
];
