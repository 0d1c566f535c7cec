import { z } from "zod";
import { toTimestamp } from "../../kernel/time.ts";
import { filter, listQuery, timestamp } from "../../platform/schema.ts";
import type { RecordedEntry } from "./store.ts";

/** Query of `GET /audit-log`. */
export const AuditQuery = listQuery(["aud"], {
  actorId: filter(),
  action: filter(),
  subject: filter(),
});

/** An entry of the audit log (docs/architecture.md, Data). */
export const AuditEntryObject = z
  .object({
    id: z.string(),
    at: timestamp(),
    actor: z.object({
      kind: z.enum(["key", "member", "payer", "gateway", "operator", "system"]),
      id: z.string().nullable(),
      name: z.string().nullable(),
      ip: z.string().nullable(),
    }),
    requestId: z.string().nullable(),
    action: z.string(),
    subject: z.string().nullable(),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: "AuditEntry" });

/** An entry as the dashboard shows it (interface 14.2). */
export const auditEntryView = ({ id, now, actor, requestId, action, subject, before, after }: RecordedEntry) => ({
  id,
  at: toTimestamp(now),
  actor,
  requestId,
  action,
  subject,
  before,
  after,
});
