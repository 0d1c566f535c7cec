import { notFound } from "../../kernel/errors.ts";
import { WEBHOOK_DELIVER } from "../../modules/webhooks/declarations.ts";
import type { EndpointPatchBody } from "../../modules/webhooks/schema.ts";
import { deleteEndpoint, failDeliveries, lockEndpoints, updateEndpoint } from "../../modules/webhooks/store.ts";
import type { WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelLane } from "../../platform/due-work.ts";
import { type Ctx, requireEveryPermission } from "../context.ts";
import { newSealedSecret, requireEndpointUrl } from "./create-endpoint.ts";

/** Locks an endpoint. Throws 404. */
export async function lockEndpoint(tx: Tx, id: string): Promise<WebhookEndpoint> {
  const [endpoint] = await lockEndpoints(tx, [id]);
  if (!endpoint) throw notFound("webhook endpoint");
  return endpoint;
}

/** Cancels the due work of an endpoint that is disabled or deleted, and marks its pending deliveries as failed. */
export async function failPendingDeliveries(tx: Tx, endpoint: Pick<WebhookEndpoint, "id">): Promise<void> {
  failDeliveries(tx, await cancelLane(tx, WEBHOOK_DELIVER, endpoint.id));
}

/**
 * Changes an endpoint (interface 14.2); its secret does not change. When it is disabled, its pending deliveries fail;
 * when it is enabled or its URL changes, its record of failures is cleared. Locks it. Throws 404; 400 for the URL.
 */
export async function changeEndpoint(
  tx: Tx,
  ctx: Ctx,
  id: string,
  patch: EndpointPatchBody,
): Promise<{ before: WebhookEndpoint; after: WebhookEndpoint }> {
  requireEveryPermission(ctx, "A webhook endpoint");
  const before = await lockEndpoint(tx, id);
  const url = patch.url ?? before.url;
  if (url !== before.url) requireEndpointUrl(ctx, url);
  const enabled = patch.enabled ?? before.enabled;
  const restarts = enabled !== before.enabled || url !== before.url;
  const after: WebhookEndpoint = {
    ...before,
    url,
    events: patch.events ?? before.events,
    enabled,
    failingSince: restarts ? null : before.failingSince,
    disabledReason: restarts ? null : before.disabledReason,
    updatedAt: ctx.now,
  };
  updateEndpoint(tx, after);
  if (before.enabled && !enabled) await failPendingDeliveries(tx, after);
  return { before, after };
}

/**
 * Deletes an endpoint (interface 14.2), and returns it. Its deliveries stay listed, and pending ones fail. Locks it.
 * Throws 404.
 */
export async function removeEndpoint(tx: Tx, id: string): Promise<WebhookEndpoint> {
  const endpoint = await lockEndpoint(tx, id);
  await failPendingDeliveries(tx, endpoint);
  deleteEndpoint(tx, endpoint.id);
  return endpoint;
}

/**
 * Replaces an endpoint's secret. For 24 hours the previous secret signs too; an older one does not (interface 6.5).
 * Locks it. Throws 404.
 */
export async function rotateSecret(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  const before = await lockEndpoint(tx, id);
  const { secret, sealed } = newSealedSecret(ctx);
  const endpoint: WebhookEndpoint = {
    ...before,
    secretSealed: sealed,
    previousSecretSealed: before.secretSealed,
    rotatedAt: ctx.now,
    updatedAt: ctx.now,
  };
  updateEndpoint(tx, endpoint);
  return { endpoint, secret };
}
