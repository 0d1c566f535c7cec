import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError, invalidField, noSuch, notFound } from "../../kernel/errors.ts";
import { addSeconds, type Instant } from "../../kernel/time.ts";
import { eventsBetween, findEvent } from "../../modules/events/store.ts";
import type { StoredEvent } from "../../modules/events/types.ts";
import { ENDPOINT_TEST, WEBHOOK_DELIVER } from "../../modules/webhooks/declarations.ts";
import {
  deliveriesOfEvents,
  enabledEndpoints,
  failedSince,
  findDelivery,
  findEndpoint,
  insertDeliveries,
  lockDeliveriesTo,
  lockEndpoints,
  reopenDeliveries,
} from "../../modules/webhooks/store.ts";
import type { Delivery, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { lockEndpoint } from "./change-endpoint.ts";
import { bodyOf, newDelivery } from "./fan-out.ts";

/**
 * Sends a test event to this endpoint alone (interface 14.2, `POST /webhook-endpoints/{id}/test`). Locks the endpoint.
 * Throws 404; 409 while it is disabled.
 */
export async function sendTest(tx: Tx, ctx: Ctx, id: string): Promise<StoredEvent> {
  const endpoint = await lockEndpoint(tx, id);
  requireOn(endpoint);
  const event = await findEvent(tx, appendEvent(tx, ctx.now, ENDPOINT_TEST, endpoint.id, { endpointId: endpoint.id }));
  if (!event) throw notFound("event");
  return event;
}

/**
 * Resends a delivery's body now, whatever its status (interface 14.2, `POST /webhook-deliveries/{id}/resend`). Locks
 * the endpoint. Throws 404; 409 when the endpoint is disabled or deleted.
 */
export async function resendDelivery(tx: Tx, ctx: Ctx, id: string): Promise<{ before: Delivery; after: Delivery }> {
  const found = await findDelivery(tx, id);
  if (!found) throw notFound("delivery");
  const [endpoint] = await lockEndpoints(tx, [found.endpointId]);
  requireOn(endpoint ?? null);
  reopenDeliveries(tx, [found.id], ctx.now);
  enqueue(tx, WEBHOOK_DELIVER, found.id, ctx.now, found.endpointId);
  return { before: found, after: { ...found, status: "pending", nextAttemptAt: ctx.now } };
}

/** The largest number of events that one replay sends. */
const REPLAY_MAX = 10_000;

/** Which events a replay sends: those created from `from` on and before `to`; null: now, and the endpoint's types. */
interface Replay {
  readonly from: Instant;
  readonly to: Instant | null;
  readonly types: readonly string[] | null;
}

/**
 * Sends the events of a time to an endpoint, each once, also those that it has had (interface 14.2, `POST
 * /webhook-endpoints/{id}/replay`). Locks the endpoint. Returns how many are sent. Throws 404; 409 while it is
 * disabled; 400 for a time without length, and for more than `REPLAY_MAX` events.
 */
export async function replayEvents(tx: Tx, ctx: Ctx, id: string, { from, to, types }: Replay): Promise<number> {
  const endpoint = await lockEndpoint(tx, id);
  requireOn(endpoint);
  const until = to ?? addSeconds(ctx.now, 1);
  if (until <= from) throw invalidField(["to"], "to must be after from.");
  const named = types ?? endpoint.events;
  const wanted = named.includes("*") ? null : named;
  const found = await eventsBetween(
    tx,
    { createdFrom: from, createdTo: until, inRealTime: !ctx.organisation.sandbox, types: wanted },
    REPLAY_MAX + 1,
  );
  if (found.length > REPLAY_MAX)
    throw invalidField(
      ["from"],
      `These are more than ${REPLAY_MAX} events. Replay a shorter time, one after the other.`,
    );
  const sent = found.filter(({ type }) => type !== ENDPOINT_TEST.name);
  await sendToEndpoint(tx, ctx, endpoint, sent);
  return sent.length;
}

/**
 * Sends an event to an endpoint, whatever events that subscribes to (interface 14.2, `POST /events/{id}/send`). Locks
 * the endpoint. Throws 404; 400 for an unknown endpoint; 409 while it is disabled.
 */
export async function sendEvent(tx: Tx, ctx: Ctx, id: string, endpointId: string): Promise<Delivery> {
  const event = await findEvent(tx, id);
  if (!event) throw notFound("event");
  const [found] = await lockEndpoints(tx, [endpointId]);
  const endpoint = requireKnown(found ?? null, endpointId);
  const [delivery] = await sendToEndpoint(tx, ctx, endpoint, [event]);
  assert(delivery, "an event that is sent has a delivery");
  return delivery;
}

/** Makes a delivery of each event to the endpoint, or sends the one that there is again. */
async function sendToEndpoint(
  tx: Tx,
  ctx: Ctx,
  endpoint: WebhookEndpoint,
  events: readonly StoredEvent[],
): Promise<readonly Delivery[]> {
  // Events that have just happened may be on their way to the endpoint.
  await lockDeliveriesTo(tx, endpoint.id);
  const ids = events.map(({ id }) => id);
  const ofEndpoint = async () =>
    (await deliveriesOfEvents(tx, ids)).filter(({ endpointId }) => endpointId === endpoint.id);
  const known = await ofEndpoint();
  reopenDeliveries(
    tx,
    known.map(({ id }) => id),
    ctx.now,
  );
  for (const { id } of known) enqueue(tx, WEBHOOK_DELIVER, id, ctx.now, endpoint.id);
  const had = new Set<string>(known.map(({ eventId }) => eventId));
  const made = events.filter(({ id }) => !had.has(id)).map((event) => newDelivery(event, endpoint, bodyOf(ctx, event)));
  if (made.length > 0) await insertDeliveries(tx, made, ctx.now);
  return ofEndpoint();
}

/** Which deliveries are resent: those of one endpoint, or of all, made from `since` on. */
interface FailedSince {
  readonly endpointId?: string | null;
  readonly since: Instant;
}

/** How many deliveries one request resends. */
const AGAIN_MAX = 1000;

/**
 * The number of given-up deliveries that would be resent, which are those of enabled endpoints. Counts up to
 * `AGAIN_MAX` plus one. Throws 400 for an unknown endpoint; 409 while it is disabled.
 */
export async function countFailed(tx: Tx, failed: FailedSince): Promise<number> {
  if (failed.endpointId) requireKnown(await findEndpoint(tx, failed.endpointId), failed.endpointId);
  return (await failedSince(tx, failed, AGAIN_MAX + 1)).length;
}

/**
 * Resends given-up deliveries now (interface 14.2, `POST /webhook-deliveries/resend-failed`): the oldest first, at most
 * `AGAIN_MAX`, of enabled endpoints. Locks the endpoints. Returns how many are sent, and whether more are left. Throws
 * 400 for an unknown endpoint; 409 while it is disabled.
 */
export async function resendFailed(tx: Tx, ctx: Ctx, failed: FailedSince): Promise<{ sent: number; hasMore: boolean }> {
  const wanted = failed.endpointId ? [failed.endpointId] : (await enabledEndpoints(tx)).map(({ id }) => id);
  const [endpoint] = await lockEndpoints(tx, wanted);
  if (failed.endpointId) requireKnown(endpoint ?? null, failed.endpointId);
  const found = await failedSince(tx, failed, AGAIN_MAX + 1);
  const again = found.slice(0, AGAIN_MAX);
  reopenDeliveries(
    tx,
    again.map(({ id }) => id),
    ctx.now,
  );
  for (const { id, endpointId } of again) enqueue(tx, WEBHOOK_DELIVER, id, ctx.now, endpointId);
  return { sent: again.length, hasMore: found.length > AGAIN_MAX };
}

/** The endpoint that a body names. Throws 400 when there is none, 409 while it is disabled. */
function requireKnown(endpoint: WebhookEndpoint | null, endpointId: string): WebhookEndpoint {
  if (!endpoint) throw noSuch(["endpointId"], "webhook endpoint", endpointId);
  requireOn(endpoint);
  return endpoint;
}

function requireOn(endpoint: WebhookEndpoint | null): void {
  if (endpoint?.enabled) return;
  const why = endpoint ? "switched off. Switch it on first." : "deleted.";
  throw new ApiError("invalid_state", 409, `The webhook endpoint is ${why}`);
}
