import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { contextFor, realTime, requireFeature, requireWritable } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import { ApiError } from "../kernel/errors.ts";
import type { ApiKeyId } from "../kernel/ids.ts";
import { admitCallers, type Caller } from "../modules/api-keys/store.ts";
import type { KeyPermission } from "../modules/members/rules.ts";
import { type OrganisationRow, organisationFromRow } from "../modules/organisations/store.ts";
import { networkOf } from "../platform/addresses.ts";
import { gathered } from "../platform/gather.ts";
import { clientAddress } from "./client-address.ts";
import { isForWritable, takesKey } from "./endpoint.ts";
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
      const ip = clientAddress(request, options.trustedProxies);
      const network = networkOf(ip);
      const credentials = readKey(request);
      const { addressRequests, key, resetsAt } = await admitTogether("clients", { network, credentials });
      if (addressRequests > options.ipRateLimit)
        throw rateLimited(
          { limit: options.ipRateLimit, used: addressRequests, resetsAt },
          "Too many requests from this network. Wait and try again.",
        );
      const matches = timingSafeEqual(key?.secretHash ?? NO_HASH, credentials?.hash ?? NO_HASH);
      if (!credentials)
        throw unauthorized("The API key is missing or malformed. Send the header Authorization: Bearer tefo_….");
      if (!key || !matches) throw unauthorized("The API key is invalid: it is unknown or has been revoked.");
      const organisation = organisationFromRow(key.organisation as OrganisationRow);
      request.caller = {
        organisation: organisation.id,
        keyId: key.id as ApiKeyId,
        keyPrefix: credentials.prefix,
        receivedAt: realTime(),
        takesKey: takesKey(endpoint),
      };
      const limit = organisation.rateLimit ?? REQUESTS_PER_KEY;
      const window = { limit, used: key.requests, resetsAt };
      if (window.used > limit)
        throw rateLimited(window, `Too many requests: this key may make ${limit} a minute. Wait and try again.`);
      const { id, permissions } = key;
      const ctx = contextFor(services, organisation, { kind: "key", id, name: null, ip, permissions }, request.id);
      return {
        ctx,
        headers: rateHeaders(window),
        checkPlan() {
          requireFeature(organisation, "rest_api");
          if (endpoint.feature) requireFeature(organisation, endpoint.feature);
        },
        checkOrganisation() {
          if (isForWritable(endpoint)) requireWritable(ctx);
          if (endpoint.keyPermission) requireKeyPermission(permissions, endpoint.keyPermission);
        },
      };
    },
  };
}

function requireKeyPermission(held: readonly string[], needed: KeyPermission): void {
  if (held.includes(needed)) return;
  throw new ApiError(
    "permission_required",
    403,
    `This API key lacks the permission ${needed}. Grant it under Settings, API keys.`,
  );
}

const unauthorized = (message: string): ApiError =>
  new ApiError("unauthorized", 401, message, { headers: { "www-authenticate": "Bearer" } });

function readKey(request: FastifyRequest): Caller["credentials"] {
  const match = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "");
  const key = KEY_FORM.exec(match?.[1] ?? "");
  return key?.[1] && match?.[1] ? { prefix: key[1], hash: createHash("sha256").update(match[1]).digest() } : null;
}
