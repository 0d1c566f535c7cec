// Writes: webhook_endpoints, webhook_deliveries. Reads nothing else.

import { createdIn, type ListQuery, newestFirst, onPage, type RecordFilter } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { WebhookDeliveriesRow, WebhookEndpointsRow } from "../../domain/rows.ts";
import { isEventName } from "../../events/event.ts";
import type { DeliveryId, WebhookEndpointId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import { NOTHING, part, type Tx, when } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import { WEBHOOK_DELIVER } from "./declarations.ts";
import type {
  Attempt,
  Delivery,
  DeliveryStatus,
  DisabledReason,
  DueDelivery,
  NewDelivery,
  WebhookEndpoint,
} from "./types.ts";

/** `SealContext.column` of the signing secrets. */
export const SECRET_COLUMN = "webhook_endpoints.secret";

type EndpointRow = Pick<
  WebhookEndpointsRow,
  | "id"
  | "url"
  | "events"
  | "enabled"
  | "secret_sealed"
  | "previous_secret_sealed"
  | "rotated_at"
  | "failing_since"
  | "disabled_reason"
  | "created_at"
  | "updated_at"
>;

const endpointFromRow = (row: EndpointRow): WebhookEndpoint => ({
  id: row.id,
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  secretSealed: row.secret_sealed,
  previousSecretSealed: row.previous_secret_sealed,
  rotatedAt: row.rotated_at,
  failingSince: row.failing_since,
  disabledReason: row.disabled_reason as DisabledReason | null,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Locks the organisation's creation of endpoints until the transaction ends, and counts its endpoints. */
export async function countEndpoints(tx: Tx): Promise<number> {
  lockName(tx, "webhook endpoints", "");
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from webhook_endpoints where organisation_id = ${tx.organisation}`;
  return row?.count ?? 0;
}

/** Inserts an endpoint. */
export function insertEndpoint(tx: Tx, endpoint: WebhookEndpoint): void {
  tx.queue`
    insert into webhook_endpoints (organisation_id, id, url, events, enabled, secret_sealed, created_at, updated_at)
    values (${tx.organisation}, ${endpoint.id}, ${endpoint.url}, ${endpoint.events}, ${endpoint.enabled}, ${endpoint.secretSealed},
      ${endpoint.createdAt}, ${endpoint.updatedAt})`;
}

/** Newest first. */
export async function listEndpoints(tx: Tx, query: ListQuery): Promise<WebhookEndpoint[]> {
  const rows = await tx.sql<EndpointRow>`
    select * from webhook_endpoints where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${when(query.q || null, (q) => part`and position(lower(${q}) in lower(url)) > 0`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(endpointFromRow);
}

/** Null when absent or another organisation's. */
export async function findEndpoint(tx: Tx, id: string): Promise<WebhookEndpoint | null> {
  const [row] = await tx.sql<EndpointRow>`
    select * from webhook_endpoints where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? endpointFromRow(row) : null;
}

/** The enabled endpoints. */
export async function enabledEndpoints(tx: Tx): Promise<WebhookEndpoint[]> {
  const rows = await tx.sql<EndpointRow>`
    select * from webhook_endpoints where organisation_id = ${tx.organisation} and enabled order by id`;
  return rows.map(endpointFromRow);
}

/** As `enabledEndpoints`, of which nobody else makes deliveries meanwhile (`lockDeliveriesTo`). */
export async function shareEnabledEndpoints(tx: Tx): Promise<WebhookEndpoint[]> {
  const rows = await locking(tx, "webhook endpoint").sql<EndpointRow>`
    select * from webhook_endpoints where organisation_id = ${tx.organisation} and enabled order by id for key share`;
  return rows.map(endpointFromRow);
}

/** Waits for transactions that make deliveries to an endpoint by `shareEnabledEndpoints`, and keeps others from it until this one ends. */
export async function lockDeliveriesTo(tx: Tx, id: WebhookEndpointId): Promise<void> {
  await locking(tx, "webhook endpoint").sql`
    select id from webhook_endpoints where organisation_id = ${tx.organisation} and id = ${id} for update`;
}

/** Locks the endpoints with these ids until the transaction ends; deliveries to them are made meanwhile. */
export async function lockEndpoints(tx: Tx, ids: readonly string[]): Promise<WebhookEndpoint[]> {
  const rows = await locking(tx, "webhook endpoint").sql<EndpointRow>`
    select * from webhook_endpoints where organisation_id = ${tx.organisation} and id = any (${ids}) order by id for no key update`;
  return rows.map(endpointFromRow);
}

/** Updates all fields that can change. */
export function updateEndpoint(tx: Tx, endpoint: WebhookEndpoint): void {
  tx.queue`
    update webhook_endpoints set url = ${endpoint.url}, events = ${endpoint.events}, enabled = ${endpoint.enabled},
      secret_sealed = ${endpoint.secretSealed}, previous_secret_sealed = ${endpoint.previousSecretSealed},
      rotated_at = ${endpoint.rotatedAt}, failing_since = ${endpoint.failingSince}, disabled_reason = ${endpoint.disabledReason},
      updated_at = ${endpoint.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${endpoint.id}`;
}

/** Deletes an endpoint; its deliveries stay. */
export function deleteEndpoint(tx: Tx, id: WebhookEndpointId): void {
  tx.queue`delete from webhook_endpoints where organisation_id = ${tx.organisation} and id = ${id}`;
}

/**
 * Inserts the deliveries that do not exist yet, one for each event and endpoint, and enqueues their first attempt now,
 * in the order given. The condition on `endpoint_id` is written so that PostgreSQL uses the index by event: the index
 * by endpoint would read all deliveries of the endpoint.
 */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[], now: Instant): Promise<void> {
  const of = (field: keyof NewDelivery) => deliveries.map((delivery) => delivery[field]);
  const inserted = await tx.sql<Pick<WebhookDeliveriesRow, "id" | "endpoint_id">>`
    insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, next_attempt_at,
      created_at)
    select ${tx.organisation}, g.id, g.event_id, g.event_type, g.subject, g.endpoint_id, g.body, 'pending', ${now}, ${now}
      from unnest(${of("id")}::text[], ${of("eventId")}::text[], ${of("eventType")}::text[], ${of("subject")}::text[],
             ${of("endpointId")}::text[], ${of("body")}::text[]) as g(id, event_id, event_type, subject, endpoint_id, body)
     where not exists (
       select from webhook_deliveries d
        where d.organisation_id = ${tx.organisation} and d.event_id = g.event_id and d.endpoint_id || '' = g.endpoint_id)
    returning id, endpoint_id`;
  for (const { id, endpoint_id } of inserted) enqueue(tx, WEBHOOK_DELIVER, id, now, endpoint_id);
}

interface DueRow
  extends Pick<WebhookDeliveriesRow, "id" | "event_id" | "event_type" | "subject" | "endpoint_id" | "body" | "status"> {
  attempts_made: number;
}

/** The deliveries with these ids, with their endpoints. */
export async function readDueDeliveries(tx: Tx, ids: readonly string[]): Promise<DueDelivery[]> {
  const sorted = ids.toSorted();
  const [rows, endpoints] = await Promise.all([
    tx.sql<DueRow>`
      select id, event_id, event_type, subject, endpoint_id, body, status, jsonb_array_length(attempts) as attempts_made
        from webhook_deliveries
       where organisation_id = ${tx.organisation} and id = any (${sorted}) and id between ${sorted[0] ?? ""} and ${sorted.at(-1) ?? ""}`,
    tx.sql<EndpointRow>`select * from webhook_endpoints where organisation_id = ${tx.organisation}`,
  ]);
  const known = new Map(endpoints.map((row) => [row.id, endpointFromRow(row)]));
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    eventType: row.event_type,
    subject: row.subject,
    endpointId: row.endpoint_id,
    body: row.body,
    status: row.status,
    attemptsMade: row.attempts_made,
    endpoint: known.get(row.endpoint_id) ?? null,
  }));
}

/** An attempt, and the delivery's status after it. */
export interface AttemptRow {
  readonly id: DeliveryId;
  readonly attempt: Attempt;
  readonly status: DeliveryStatus;
  readonly nextAttemptAt: Instant | null;
}

/** Appends attempts, one for each delivery. The status changes from `pending`, and from any status to `delivered`. */
export function appendAttempts(tx: Tx, made: readonly AttemptRow[]): void {
  const ids = made.map(({ id }) => id).toSorted();
  tx.queue`
    update webhook_deliveries d set attempts = d.attempts || g.attempt::jsonb,
      status = case when d.status = 'pending' or g.status = 'delivered' then g.status else d.status end,
      next_attempt_at = case when d.status = 'pending' or g.status = 'delivered' then g.next_attempt_at else d.next_attempt_at end
      from unnest(${made.map(({ id }) => id)}::text[], ${made.map(({ attempt }) => JSON.stringify(attempt))}::text[],
             ${made.map(({ status }) => status)}::text[], ${made.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
             as g(id, attempt, status, next_attempt_at)
     where d.organisation_id = ${tx.organisation} and d.id = g.id and d.id between ${ids[0] ?? ""} and ${ids.at(-1) ?? ""}`;
}

/** Marks pending deliveries as failed, since their endpoint is disabled or deleted. */
export function failDeliveries(tx: Tx, ids: readonly string[]): void {
  tx.queue`
    update webhook_deliveries set status = 'failed', next_attempt_at = null
     where organisation_id = ${tx.organisation} and id = any (${ids}) and status = 'pending'`;
}

/** Makes deliveries pending again, with their next attempt at `at`. */
export function reopenDeliveries(tx: Tx, ids: readonly DeliveryId[], at: Instant): void {
  tx.queue`
    update webhook_deliveries set status = 'pending', next_attempt_at = ${at}
     where organisation_id = ${tx.organisation} and id = any (${ids})`;
}

type DeliveryRow = Pick<
  WebhookDeliveriesRow,
  "id" | "event_id" | "event_type" | "endpoint_id" | "status" | "attempts" | "next_attempt_at"
>;

const deliveryFromRow = (row: DeliveryRow): Delivery => ({
  id: row.id,
  eventId: row.event_id,
  eventType: row.event_type,
  endpointId: row.endpoint_id,
  status: row.status,
  attempts: row.attempts as Attempt[],
  nextAttemptAt: row.next_attempt_at,
});

/** The deliveries that were given up, to endpoints that are switched on, made from `since` on, oldest first. */
export async function failedSince(
  tx: Tx,
  { endpointId = null, since }: { readonly endpointId?: string | null; readonly since: Instant },
  limit: number,
): Promise<Pick<Delivery, "id" | "endpointId">[]> {
  // The index of deliveries is of those that are not delivered.
  const rows = await tx.sql<Pick<WebhookDeliveriesRow, "id" | "endpoint_id">>`
    select d.id, d.endpoint_id from webhook_deliveries d
      join webhook_endpoints e on e.organisation_id = ${tx.organisation} and e.id = d.endpoint_id and e.enabled
     where d.organisation_id = ${tx.organisation} and d.status in ('failed', 'parked') and d.status <> 'delivered'
       and d.created_at >= ${since}
      ${when(endpointId, (value) => part`and d.endpoint_id = ${value}`)}
     order by d.id limit ${limit}`;
  return rows.map(({ id, endpoint_id }) => ({ id, endpointId: endpoint_id }));
}

/** The deliveries of these events, oldest first. */
export async function deliveriesOfEvents(tx: Tx, events: readonly string[]): Promise<Delivery[]> {
  if (events.length === 0) return [];
  const rows = await tx.sql<DeliveryRow>`
    select id, event_id, event_type, endpoint_id, status, attempts, next_attempt_at from webhook_deliveries
     where organisation_id = ${tx.organisation} and event_id = any (${events}) order by id`;
  return rows.map(deliveryFromRow);
}

/** Filters of deliveries: these statuses, made from `from` on, or in a time. */
interface DeliverySpan extends RecordFilter {
  readonly status?: readonly DeliveryStatus[] | undefined;
  readonly from?: Instant | undefined;
}

/** Null when absent or another organisation's. */
export async function findDelivery(tx: Tx, id: string): Promise<Delivery | null> {
  const [row] = await tx.sql<DeliveryRow>`
    select id, event_id, event_type, endpoint_id, status, attempts, next_attempt_at from webhook_deliveries
     where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? deliveryFromRow(row) : null;
}

/** Newest first; `q` finds a delivery by its id, or those of an event, or of a type of events. */
export async function listDeliveries(
  tx: Tx,
  query: ListQuery<"endpointId" | "eventId" | "eventType"> & DeliverySpan,
): Promise<Delivery[]> {
  const rows = await tx.sql<DeliveryRow>`
    select id, event_id, event_type, endpoint_id, status, attempts, next_attempt_at from webhook_deliveries
     where organisation_id = ${tx.organisation}
      ${when(query.endpointId, (endpointId) => part`and endpoint_id = ${endpointId}`)}
      ${when(query.eventId, (eventId) => part`and event_id = ${eventId}`)}
      ${when(query.eventType, (eventType) => part`and event_type = ${eventType}`)}
      ${when(query.from, (from) => part`and created_at >= ${from}`)}
      ${createdIn(query, "whd", { id: part`id`, createdAt: part`created_at` })}
      ${statusCondition(query.status)}
      ${when(query.q || null, (q) => searchCondition(q))}
      ${onPage(query, part`id`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(deliveryFromRow);
}

const searchCondition = (q: string) =>
  isEventName(q) ? part`and event_type = ${q}` : part`and (id = ${q} or event_id = ${q})`;

/** Plans are made once for all values, so the partial index of undelivered rows is used only when the condition contains its predicate. */
function statusCondition(statuses: readonly DeliveryStatus[] | undefined) {
  if (statuses === undefined) return NOTHING;
  return statuses.includes("delivered")
    ? part`and status = any (${statuses})`
    : part`and status = any (${statuses}) and status <> 'delivered'`;
}

/** Signing secrets, for `secrets rotate`. */
export const SEALED_SECRETS: SealedColumn = {
  column: "webhook_endpoints.secret_sealed",
  sealedFor: SECRET_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, secret_sealed as sealed from webhook_endpoints
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(secret_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update webhook_endpoints set secret_sealed = ${after} where organisation_id = ${tx.organisation} and id = ${id}
        and secret_sealed = ${before}`,
};

/** The previous signing secrets of endpoints, for `secrets rotate`. */
export const SEALED_PREVIOUS_SECRETS: SealedColumn = {
  column: "webhook_endpoints.previous_secret_sealed",
  sealedFor: SECRET_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, previous_secret_sealed as sealed from webhook_endpoints
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(previous_secret_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update webhook_endpoints set previous_secret_sealed = ${after} where organisation_id = ${tx.organisation}
        and id = ${id} and previous_secret_sealed = ${before}`,
};

/** How many deliveries of webhooks since `from` were given up, and to how many endpoints. */
export async function failedDeliveries(tx: Tx, from: Instant): Promise<{ count: number; endpoints: number }> {
  // The index of deliveries is of those that are not delivered.
  const [row] = await tx.sql<{ count: number; endpoints: number }>`
    select count(*)::integer as count, count(distinct endpoint_id)::integer as endpoints from webhook_deliveries
     where organisation_id = ${tx.organisation} and status in ('failed', 'parked') and status <> 'delivered' and created_at >= ${from}`;
  return row ?? { count: 0, endpoints: 0 };
}
