import { appendEvent } from "../../events/outbox.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { findEvent } from "../../modules/events/store.ts";
import type { StoredEvent } from "../../modules/events/types.ts";
import { ENDPOINT_TEST, WEBHOOK_DELIVER } from "../../modules/webhooks/declarations.ts";
import {
  enabledEndpoints,
  failedSince,
  findDelivery,
  lockEndpoints,
  reopenDeliveries,
} from "../../modules/webhooks/store.ts";
import type { Delivery, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { lockEndpoint } from "./change-endpoint.ts";

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

/** Which deliveries are resent: those of one endpoint, or of all, made from `from` on. */
interface FailedSince {
  readonly endpointId?: string | null;
  readonly from: Instant;
}

/** How many deliveries one request resends. */
const AGAIN_MAX = 1000;

/**
 * The number of given-up deliveries that would be resent, which are those of enabled endpoints. Counts up to
 * `AGAIN_MAX` plus one.
 */
export async function countFailed(tx: Tx, failed: FailedSince): Promise<number> {
  return (await failedSince(tx, failed, AGAIN_MAX + 1)).length;
}

/**
 * Resends given-up deliveries now (interface 14.2, `POST /webhook-deliveries/resend-failed`): the oldest first, at most
 * `AGAIN_MAX`, of enabled endpoints. Locks the endpoints. Returns how many are sent, and whether more are left.
 */
export async function resendFailed(tx: Tx, ctx: Ctx, failed: FailedSince): Promise<{ sent: number; hasMore: boolean }> {
  const endpoints = await enabledEndpoints(tx);
  await lockEndpoints(
    tx,
    endpoints.map(({ id }) => id),
  );
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

function requireOn(endpoint: WebhookEndpoint | null): void {
  if (endpoint?.enabled) return;
  const why = endpoint ? "switched off. Switch it on first." : "deleted.";
  throw new ApiError("invalid_state", 409, `The webhook endpoint is ${why}`);
}
