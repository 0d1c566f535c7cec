import { toTimestamp } from "../../kernel/time.ts";
import type { RecordedEntry } from "./store.ts";

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
