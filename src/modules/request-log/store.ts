// Writes: request_log. Reads nothing else.

import { type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import type { RequestLogRow } from "../../domain/rows.ts";
import { firstIdAt, type OrganisationId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Database, NOTHING, part, type Tx, when } from "../../platform/database.ts";
import type { LoggedRequest, RequestWithBodies } from "./types.ts";

/** The approximate number of an organisation's newest requests that are stored. */
const KEPT = 1_000_000;

/** A row without its bodies, which are long and which no list shows. */
type ListedRow = Omit<RequestLogRow, "request_body" | "response_body">;

const fromRow = (row: ListedRow): LoggedRequest => ({
  id: row.id,
  at: row.at,
  method: row.method,
  path: row.path,
  parameters: row.parameters,
  status: row.status,
  error: row.error,
  durationMs: row.duration_ms,
  keyId: row.key_id,
  keyPrefix: row.key_prefix,
  idempotency: row.idempotency,
});

/** A request with its organisation. */
export type RequestOf = readonly [OrganisationId, RequestWithBodies];

/** Inserts requests of any organisations by one statement, through a function of `tefo_gate`. */
export async function insertRequests({ sql }: Pick<Database, "sql">, requests: readonly RequestOf[]): Promise<void> {
  const of = <Field extends keyof RequestWithBodies>(field: Field) => requests.map(([, request]) => request[field]);
  await sql`
    select log_requests(${requests.map(([organisation]) => organisation)}, ${of("id")}, ${of("at")}, ${of("method")}, ${of("path")},
      ${of("parameters")}, ${of("status")}, ${of("error")}, ${of("durationMs")}, ${of("keyId")}, ${of("keyPrefix")}, ${of("idempotency")},
      ${of("requestBody")}, ${of("responseBody")})`;
}

/** Deletes those before the newest `KEPT`. */
export const deleteOverflow = (tx: Tx): void => tx.queue`
  delete from request_log where organisation_id = ${tx.organisation} and id < (
    select id from request_log where organisation_id = ${tx.organisation} order by id desc offset ${KEPT} limit 1)`;

/** Filters of a list of requests; a field that is left out does not filter. */
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
  const rows = await tx.sql<ListedRow>`
    select organisation_id, id, at, method, path, parameters, status, error, duration_ms, key_id, key_prefix, idempotency
      from request_log where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${when(query.from, (from) => part`and id >= ${firstIdAt("req", from)}`)}
      ${when(query.to, (to) => part`and id < ${firstIdAt("req", to)}`)}
      ${when(query.requestId || null, (requestId) => part`and id = ${requestId}`)}
      ${when(query.keyId || null, (keyId) => part`and key_id = ${keyId}`)}
      ${when(
        status,
        (value) => part`and status between ${value[0]} and ${value[1]}
          ${value[0] >= 400 ? part`and status >= 400` : NOTHING}`,
      )}
      ${when(path || null, (value) => part`and path ilike ${containing(value)}`)}
      ${when(q || null, (value) => part`and (id = ${value} or error = ${value} or path ilike ${containing(value)})`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findRequest(tx: Tx, id: string): Promise<RequestWithBodies | null> {
  const [row] = await tx.sql<RequestLogRow>`
    select * from request_log where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? { ...fromRow(row), requestBody: row.request_body, responseBody: row.response_body } : null;
}
