import { invalid, invalidField } from "../../kernel/errors.ts";
import type { EndpointCreateBody } from "../../modules/webhooks/schema.ts";
import { countEndpoints, insertEndpoint, SECRET_COLUMN } from "../../modules/webhooks/store.ts";
import type { WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { checkEndpointUrl } from "../../platform/outbound.ts";
import { newWebhookSecret } from "../../platform/webhook-signing.ts";
import { type Ctx, requireEveryPermission } from "../context.ts";

/** The largest number of endpoints of an organisation (interface 6). */
const ENDPOINTS_MAX = 5;

const SWITCHED_OFF =
  "This service sends no webhooks to its own machine. Use an https URL, or ask its operator to set LOOPBACK_WEBHOOKS=1.";

/** Throws 400 for a URL that this organisation's endpoints may not have (interface 13.3). */
export function requireEndpointUrl(ctx: Ctx, url: string): void {
  const { sandbox } = ctx.organisation;
  const checked = checkEndpointUrl(url, { sandbox: sandbox && ctx.loopbackWebhooks });
  if (checked.ok) return;
  const isSwitchedOff = sandbox && !ctx.loopbackWebhooks && checkEndpointUrl(url, { sandbox }).ok;
  throw invalidField(["url"], isSwitchedOff ? SWITCHED_OFF : checked.message);
}

/** A new signing secret, and its encrypted form, which is stored. */
export function newSealedSecret({ secrets, organisation }: Ctx): { secret: string; sealed: string } {
  const secret = newWebhookSecret();
  return {
    secret,
    sealed: secrets.seal(secret, { organisation: organisation.id, column: SECRET_COLUMN }),
  };
}

/**
 * Creates an endpoint. Its secret is returned only this once. Locks the organisation's endpoints. Throws 400 for a
 * sixth one, and for the URL.
 */
export async function createEndpoint(
  tx: Tx,
  ctx: Ctx,
  body: EndpointCreateBody,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  requireEveryPermission(ctx, "A webhook endpoint");
  requireEndpointUrl(ctx, body.url);
  if ((await countEndpoints(tx)) >= ENDPOINTS_MAX)
    throw invalid(`An organisation has at most ${ENDPOINTS_MAX} webhook endpoints. Delete one that is not used.`);
  const { secret, sealed } = newSealedSecret(ctx);
  const endpoint: WebhookEndpoint = {
    id: newId("we"),
    url: body.url,
    events: body.events,
    enabled: body.enabled,
    secretSealed: sealed,
    previousSecretSealed: null,
    rotatedAt: null,
    failingSince: null,
    disabledReason: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertEndpoint(tx, endpoint);
  return { endpoint, secret };
}
