// Writes: request_log. Reads nothing else.

import type { ApiKeyId } from "../../kernel/ids.ts";
import { firstIdAt } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import type { RequestLogRow } from "../../platform/rows.ts";
import type { ListQuery } from "../../platform/schema.ts";
import type { LoggedRequest } from "./types.ts";

/** How many requests of an organisation are kept, about: the newest. */
const KEPT = 1_000_000;

const fromRow = (row: RequestLogRow): LoggedRequest => ({
  id: row.id,
  at: row.at,
  method: row.method,
  path: row.path,
  parameters: row.parameters,
  status: row.status,
  error: row.error,
  durationMs: row.duration_ms,
  keyId: row.key_id as ApiKeyId,
  keyPrefix: row.key_prefix,
  idempotency: row.idempotency,
});

/** Inserts requests. The commit does not wait for the disk: a server that fails then loses them. */
export function insertRequests(tx: Tx, requests: readonly LoggedRequest[]): void {
  const of = <Field extends keyof LoggedRequest>(field: Field) => requests.map((request) => request[field]);
  tx.queue`set local synchronous_commit = off`;
  tx.queue`
    insert into request_log (organisation_id, id, at, method, path, parameters, status, error, duration_ms, key_id, key_prefix, idempotency)
    select ${tx.organisation}, r.* from unnest(${of("id")}::text[], ${of("at")}::timestamptz[], ${of("method")}::text[], ${of("path")}::text[],
      ${of("parameters")}::text[], ${of("status")}::smallint[], ${of("error")}::text[], ${of("durationMs")}::integer[], ${of("keyId")}::text[],
      ${of("keyPrefix")}::text[], ${of("idempotency")}::text[]) as r
    returning id`;
}

/** Deletes those before the newest `KEPT`. */
export const deleteOverflow = (tx: Tx): void => tx.queue`
  delete from request_log where organisation_id = ${tx.organisation} and id < (
    select id from request_log where organisation_id = ${tx.organisation} order by id desc offset ${KEPT} limit 1)`;

/** Which requests a list is about; what is left out does not filter. */
export interface RequestFilter extends ListQuery<"keyId" | "path" | "requestId"> {
  /** First and last status. */
  readonly status?: readonly [number, number] | undefined;
  readonly from?: Instant | undefined;
  /** Before this. */
  readonly to?: Instant | undefined;
}

/** Newest first; `q` is a request's id, the code of a refusal, or a part of the path. */
export async function listRequests(tx: Tx, query: RequestFilter): Promise<LoggedRequest[]> {
  const { q, path, status } = query;
  const rows = await tx.sql<RequestLogRow>`
    select * from request_log where organisation_id = ${tx.organisation}
      ${query.startingAfter === undefined ? NOTHING : part`and id < ${query.startingAfter}`}
      ${query.from === undefined ? NOTHING : part`and id >= ${firstIdAt("req", query.from)}`}
      ${query.to === undefined ? NOTHING : part`and id < ${firstIdAt("req", query.to)}`}
      ${query.requestId ? part`and id = ${query.requestId}` : NOTHING}
      ${query.keyId ? part`and key_id = ${query.keyId}` : NOTHING}
      ${status === undefined ? NOTHING : part`and status between ${status[0]} and ${status[1]} ${status[0] >= 400 ? part`and status >= 400` : NOTHING}`}
      ${path ? part`and path ilike ${containing(path)}` : NOTHING}
      ${q ? part`and (id = ${q} or error = ${q} or path ilike ${containing(q)})` : NOTHING}
     order by id desc limit ${query.limit}`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findRequest(tx: Tx, id: string): Promise<LoggedRequest | null> {
  const [row] = await tx.sql<RequestLogRow>`
    select * from request_log where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}
