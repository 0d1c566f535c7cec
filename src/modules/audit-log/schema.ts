import { z } from "zod";
import { cursor, filter, limit, timestamp } from "../../platform/schema.ts";

/** Query of `GET /audit-log`. */
export const AuditQuery = z.object({
  actorId: filter(),
  action: filter(),
  subject: filter(),
  q: filter(),
  limit: limit(),
  startingAfter: cursor("aud"),
});

/** Who did what, from where, before and after (design 5.11). */
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
