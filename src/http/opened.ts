import { ApiError, invalidField } from "../kernel/errors.ts";
import { toTimestamp } from "../kernel/time.ts";
import { type ChangedField, changedFields, changedSince } from "../modules/audit-log/rules.ts";
import { auditOf } from "../modules/audit-log/store.ts";
import { mayDo } from "../modules/members/rules.ts";
import type { Tx } from "../platform/database.ts";
import { type Call, type Endpoint, isEdit, type Opened, type Reply } from "./endpoint.ts";

/** The body of an endpoint that `edits`, separated from its `opened`. Throws 400 when `opened` is not an object. */
export function partOpened(endpoint: Endpoint, raw: unknown): { readonly raw: unknown; readonly opened?: Opened } {
  if (!isEdit(endpoint) || !isObject(raw) || raw["opened"] === undefined) return { raw };
  const { opened, ...sent } = raw;
  if (!isObject(opened)) throw invalidField(["opened"], "must be an object: fields of the record as they were read");
  return { raw: sent, opened: { record: opened, sent } };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The number of a record's latest changes in which the member who changed a field is searched. */
const CHANGES_READ = 20;

/**
 * Throws 409 `record_changed` when a field of the request no longer has the value that it had when the form was opened
 * (interface 14.1), with the member who changed it if the role may read the audit log. Called in the transaction of the
 * change, after the handler: the record is locked, and `audit` holds it before the change, unless `part` has the opened
 * state. Does nothing when the caller sent no `opened`.
 */
export async function requireAsOpened(
  tx: Tx,
  { opened, member }: Pick<Call<unknown, unknown, unknown>, "opened" | "member">,
  audit: Reply["audit"],
  part?: Reply["part"],
): Promise<void> {
  if (!opened || !audit) return;
  const differing = changedSince(opened.record, part ? part.before : audit.before, opened.sent);
  if (differing.length === 0) return;
  const readable = member !== null && audit.subject !== undefined && mayDo(member.role, "audit_log:read");
  const entries = readable ? await auditOf(tx, [String(audit.subject)], { before: null, limit: CHANGES_READ }) : [];
  const changed = differing.map((one) => {
    const entry = entries.find(({ before, after }) => concerns(changedFields(before, after), part?.field ?? one.field));
    return { ...one, by: entry?.actor.name ?? null, at: entry ? toTimestamp(entry.now) : null };
  });
  const names = changed.map(({ field }) => field).join(", ");
  throw new ApiError(
    "record_changed",
    409,
    `Somebody has changed ${names} since you opened this. Read the record again, and send your change with it as opened.`,
    { shown: { changed } },
  );
}

const concerns = (changes: readonly ChangedField[], field: string): boolean =>
  changes.some((change) => change.field === field.split(".", 1)[0]);
