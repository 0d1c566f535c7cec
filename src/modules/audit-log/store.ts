import { newId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";

/** One line of the audit log: who did what, from where, before and after (design 5.11). */
export interface AuditEntry {
  readonly now: Instant;
  readonly actor: {
    readonly kind: string;
    readonly id: string | null;
    readonly name: string | null;
    readonly ip: string | null;
  };
  readonly requestId: string | null;
  readonly action: string;
  readonly subject: string | null;
  /** Never secrets: what a reader of the log may see. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Writes the entry in the transaction of the change. */
export function recordAudit(tx: Tx, entry: AuditEntry): void {
  const { actor } = entry;
  tx.queue`
    insert into audit_log (organisation_id, id, at, actor_kind, actor_id, actor_name, ip, request_id, action, subject, before, after)
    values (${tx.organisation}, ${newId("aud")}, ${entry.now}, ${actor.kind}, ${actor.id}, ${actor.name}, ${actor.ip},
      ${entry.requestId}, ${entry.action}, ${entry.subject}, ${json(entry.before)}, ${json(entry.after)})`;
}

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
