import { randomUUID } from "node:crypto";
import type { Connection, Disconnection, GatewayCall, Refusal } from "../contract.ts";
import { refused } from "../refusals.ts";
import { ask, VERSION } from "./client.ts";
import { EVENT_TYPES } from "./notifications.ts";
import * as wire from "./wire.ts";

/** Asks about a session that cannot exist: with a wrong key it is refused, with a right one it is not found. */
export async function check(call: GatewayCall): Promise<Connection> {
  const answer = await ask(call, { method: "GET", path: "/checkout/sessions/cs_tefo_connection_test" }, wire.Session);
  const wrong = answer.kind === "refused" && answer.status === 401;
  return wrong ? { kind: "refused", reason: answer.reason } : { kind: "connected", credentials: {} };
}

/** What is stored beside the credentials of an endpoint that this service has registered. `webhookUrl` is read by the core, too. */
interface Registered {
  readonly endpointId?: string;
  readonly webhookUrl?: string;
}

/** The endpoints of this account, on any host: the query names the account. */
async function endpointsOf(notifyUrl: string, call: GatewayCall) {
  const answer = await ask(call, { method: "GET", path: "/webhook_endpoints", fields: { limit: 100 } }, wire.Endpoints);
  if (answer.kind !== "answer") return notAllowed(answer);
  const { search } = new URL(notifyUrl);
  return {
    kind: "listed",
    endpoints: answer.value.data.filter(({ url }) => URL.parse(url)?.search === search),
  } as const;
}

const notAllowed = (answer: Refusal | { readonly kind: "absent" }): Refusal =>
  refused(
    `the webhook cannot be registered with this key${answer.kind === "refused" ? ` (${answer.reason})` : ""}. ` +
      "Add it in Stripe's dashboard, and enter its signing secret.",
  );

/** Null once all are removed; else Stripe's refusal. */
async function remove(endpoints: readonly wire.Endpoint[], call: GatewayCall): Promise<Refusal | null> {
  for (const { id } of endpoints) {
    const removed = await ask(call, { method: "DELETE", path: `/webhook_endpoints/${id}` }, wire.Removed);
    if (removed.kind === "refused") return notAllowed(removed);
  }
  return null;
}

/**
 * Checks the key. Without a signing secret of an endpoint that staff have made, registers one in the version whose
 * shapes are read here, so that notifications do not follow the version of the merchant's account; an older one of this
 * account is removed.
 */
export async function connect({ notifyUrl }: { readonly notifyUrl: string }, call: GatewayCall): Promise<Connection> {
  const checked = await check(call);
  if (checked.kind === "refused" || call.credentials["webhookSecret"]) return checked;
  const { endpointId, webhookUrl }: Registered = call.credentials;
  const found = await endpointsOf(notifyUrl, call);
  if (found.kind === "refused") return found;
  const current = webhookUrl === notifyUrl ? found.endpoints.find(({ id }) => id === endpointId) : undefined;
  const kept = await remove(
    found.endpoints.filter((one) => one !== current),
    call,
  );
  if (kept) return kept;
  if (current) return checked;
  const fields = { url: notifyUrl, api_version: VERSION, enabled_events: EVENT_TYPES, description: "Tefo" };
  const post = { method: "POST", path: "/webhook_endpoints", fields, idempotencyKey: randomUUID() } as const;
  const created = await ask(call, post, wire.CreatedEndpoint);
  if (created.kind !== "answer") return notAllowed(created);
  const { id, secret } = created.value;
  return { kind: "connected", credentials: { endpointId: id, endpointSecret: secret, webhookUrl: notifyUrl } };
}

/** Removes the endpoint that `connect` has registered. */
export async function disconnect(
  { notifyUrl }: { readonly notifyUrl: string },
  call: GatewayCall,
): Promise<Disconnection> {
  if (!call.credentials["endpointSecret"]) return { kind: "disconnected" };
  const found = await endpointsOf(notifyUrl, call);
  if (found.kind === "refused") return found;
  return (await remove(found.endpoints, call)) ?? { kind: "disconnected" };
}
