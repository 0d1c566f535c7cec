import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type Actor, contextFor, realTime, requireFeature, requireSandbox, requireWritable } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import { ApiError } from "../kernel/errors.ts";
import type { ApiKeyId } from "../kernel/ids.ts";
import { toTimestamp } from "../kernel/time.ts";
import { mayUse, type Scope } from "../modules/api-keys/rules.ts";
import { type Admission, admitCallers, type Caller } from "../modules/api-keys/store.ts";
import type { KeyPermission } from "../modules/members/rules.ts";
import { type OrganisationRow, organisationFromRow } from "../modules/organisations/store.ts";
import { isWithin, networkOf } from "../platform/addresses.ts";
import { gathered } from "../platform/gather.ts";
import { clientAddress } from "./client-address.ts";
import { isForSandbox, isForWritable, takesKey } from "./endpoint.ts";
import { scopesOf } from "./key-scopes.ts";
import type { Api } from "./mount.ts";
import { REQUESTS_PER_KEY, rateHeaders, rateLimited, WINDOW_SECONDS, windowStart } from "./rate-limit.ts";

const KEY_FORM = /^tefo_([0-9a-f]{8})_([A-Za-z0-9_-]{43})$/;
const NO_HASH = Buffer.alloc(32);

/**
 * The client API with its guards, in the order of interface 7.4: address window, key, key window, plan; then, after the
 * Idempotency-Key is read, account and permission. Requests that arrive at the same time are checked by one statement.
 */
export function clientApi(services: Services, options: { ipRateLimit: number; trustedProxies: number }): Api {
  const admitTogether = gathered(
    async (_api: "clients", callers: readonly Caller[]) => {
      const start = windowStart();
      const admissions = await admitCallers(services.db, callers, { addressLimit: options.ipRateLimit, window: start });
      // The window in which the requests were counted, even if it has ended.
      return admissions.map((admission) => ({ ...admission, resetsAt: start + WINDOW_SECONDS }));
    },
    64,
    { underWay: 2 },
  );
  return {
    prefix: "/api/v1",
    audiences: ["clients"],
    async admit(request, endpoint) {
      const scopes = scopesOf(endpoint);
      const ip = clientAddress(request, options.trustedProxies);
      const network = networkOf(ip);
      const credentials = readKey(request);
      const { addressRequests, key: found, resetsAt } = await admitTogether("clients", { network, credentials });
      if (addressRequests > options.ipRateLimit)
        throw rateLimited(
          { limit: options.ipRateLimit, used: addressRequests, resetsAt },
          "Too many requests from this network. Wait and try again.",
        );
      const key = accepted(found, credentials);
      const { id, permissions, limits } = key;
      const organisation = organisationFromRow(key.organisation as OrganisationRow);
      request.caller = {
        organisation: organisation.id,
        keyId: id as ApiKeyId,
        keyPrefix: key.prefix,
        receivedAt: realTime(),
        takesKey: takesKey(endpoint),
      };
      const limit = organisation.rateLimit ?? REQUESTS_PER_KEY;
      const window = { limit, used: key.requests, resetsAt };
      if (window.used > limit)
        throw rateLimited(window, `Too many requests: this key may make ${limit} a minute. Wait and try again.`);
      if (limits.allowedAddresses.length > 0 && !isWithin(ip, limits.allowedAddresses))
        throw forbidden(
          `This API key may not be used from ${ip}. Allow the address under Developers, API keys.`,
          rateHeaders(window),
        );
      const actor: Actor = { kind: "key", id, name: null, ip, permissions, limits };
      const ctx = contextFor(services, organisation, actor, request.id);
      return {
        ctx,
        strict: limits.strict,
        headers: rateHeaders(window),
        checkPlan() {
          requireFeature(organisation, "rest_api");
          if (endpoint.feature) requireFeature(organisation, endpoint.feature);
        },
        checkOrganisation() {
          if (isForWritable(endpoint)) requireWritable(ctx);
          if (isForSandbox(endpoint)) requireSandbox(ctx);
          requireScope(limits.scopes, scopes);
          if (endpoint.keyPermission) requireKeyPermission(permissions, endpoint.keyPermission);
        },
        checkReading(permission, feature) {
          if (feature) requireFeature(organisation, feature);
          requireScope(limits.scopes, scopesOf({ permission }));
        },
      };
    },
  };
}

type Key = NonNullable<Admission["key"]>;

/** The key that the credentials prove, which still holds. @throws ApiError 401 unauthorized */
function accepted(key: Key | null, credentials: Caller["credentials"]): Key & { readonly prefix: string } {
  const matches = timingSafeEqual(key?.secretHash ?? NO_HASH, credentials?.hash ?? NO_HASH);
  if (!credentials)
    throw unauthorized("The API key is missing or malformed. Send the header Authorization: Bearer tefo_….");
  if (!key || !matches) throw unauthorized("The API key is invalid: it is unknown or has been revoked.");
  const { expiresAt } = key.limits;
  if (expiresAt && expiresAt <= realTime())
    throw unauthorized(
      `The API key expired at ${toTimestamp(expiresAt)}. Make a new one, or move its expiry, under Developers, API keys.`,
    );
  return { ...key, prefix: credentials.prefix };
}

function requireScope(held: readonly string[] | null, needed: readonly Scope[]): void {
  if (needed.length === 0 || needed.some((scope) => mayUse(held, scope))) return;
  throw forbidden(`This API key lacks the scope ${needed[0]}. Add it under Developers, API keys.`);
}

function requireKeyPermission(held: readonly string[], needed: KeyPermission): void {
  if (held.includes(needed)) return;
  throw forbidden(`This API key lacks the permission ${needed}. Grant it under Developers, API keys.`);
}

const forbidden = (message: string, headers: Record<string, string> = {}): ApiError =>
  new ApiError("permission_required", 403, message, { headers });

const unauthorized = (message: string): ApiError =>
  new ApiError("unauthorized", 401, message, { headers: { "www-authenticate": "Bearer" } });

function readKey(request: FastifyRequest): Caller["credentials"] {
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "");
  const key = KEY_FORM.exec(match?.[1] ?? "");
  return key?.[1] && match?.[1] ? { prefix: key[1], hash: createHash("sha256").update(match[1]).digest() } : null;
}
