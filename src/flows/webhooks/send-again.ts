import { appendEvent } from "../../events/outbox.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { findEvent } from "../../modules/events/store.ts";
import type { StoredEvent } from "../../modules/events/types.ts";
import { ENDPOINT_TEST, WEBHOOK_DELIVER } from "../../modules/webhooks/declarations.ts";
import { findDelivery, lockEndpoints, reopenDelivery } from "../../modules/webhooks/store.ts";
import type { Delivery, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { lockEndpoint } from "./change-endpoint.ts";

/**
 * Sends a test event to this endpoint alone (interface 14.2, `POST /webhook-endpoints/{id}/test`). Locks the endpoint. Throws 404;
 * 409 while it is disabled.
 */
export async function sendTest(tx: Tx, ctx: Ctx, id: string): Promise<StoredEvent> {
  const endpoint = await lockEndpoint(tx, id);
  requireOn(endpoint);
  const event = await findEvent(tx, appendEvent(tx, ctx.now, ENDPOINT_TEST, endpoint.id, { endpointId: endpoint.id }));
  if (!event) throw notFound("event");
  return event;
}

/**
 * Sends a delivery's body once more, now, whatever its status (interface 14.2, `POST /webhook-deliveries/{id}/resend`). Locks the
 * endpoint. Throws 404; 409 when the endpoint is disabled or deleted.
 */
export async function resendDelivery(tx: Tx, ctx: Ctx, id: string): Promise<{ before: Delivery; after: Delivery }> {
  const found = await findDelivery(tx, id);
  if (!found) throw notFound("delivery");
  const [endpoint] = await lockEndpoints(tx, [found.endpointId]);
  requireOn(endpoint ?? null);
  reopenDelivery(tx, found.id, ctx.now);
  enqueue(tx, WEBHOOK_DELIVER, found.id, ctx.now, found.endpointId);
  return { before: found, after: { ...found, status: "pending", nextAttemptAt: ctx.now } };
}

function requireOn(endpoint: WebhookEndpoint | null): void {
  if (endpoint?.enabled) return;
  const why = endpoint ? "switched off. Switch it on first." : "deleted.";
  throw new ApiError("invalid_state", 409, `The webhook endpoint is ${why}`);
}
