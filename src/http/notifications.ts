import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { receiveNotification } from "../flows/payments/receive-notification.ts";
import type { Services } from "../flows/services.ts";
import type { RawNotification } from "../gateways/contract.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import { networkOf } from "../platform/addresses.ts";
import { countUses, uncountUse } from "../platform/rate-windows.ts";
import { clientAddress } from "./client-address.ts";
import { refuseOtherMethods } from "./methods.ts";
import { rateLimited, windowStart } from "./rate-limit.ts";

const BODY_BYTES_MAX = 256 * 1024;
const WINDOW_SECONDS = 60;
const RETRY_AFTER_SECONDS = "30";
const WELL_FORMED_TYPE = /^[\w.+-]+\/[\w.+-]+\s*(;|$)/;

/**
 * Registers `POST /api/webhooks/<type>?account=<gateway account id>` (interface 17.3): 200 without a body when the effect is committed, 400
 * when the message is refused, 404 for an unknown account, 429 above the limit of the sender's network, 503 when the gateway has to be
 * queried and does not answer, or when one of the facts could not be applied. No API key is needed: the message is authenticated by its
 * signature. Every message that is not answered with 200 counts against the limit.
 */
export function registerNotifications(
  app: FastifyInstance,
  services: Services,
  options: { readonly ipRateLimit: number; readonly trustedProxies: number },
): void {
  const url = "/api/webhooks/:type";
  app.route<Notice>({
    method: "POST",
    url,
    bodyLimit: BODY_BYTES_MAX,
    // A gateway may send a malformed Content-Type, which the framework would refuse.
    onRequest: async ({ raw: { headers } }) => {
      if (!WELL_FORMED_TYPE.test(headers["content-type"] ?? "")) headers["content-type"] = "application/octet-stream";
    },
    handler: async (request, reply) => {
      const remoteAddress = clientAddress(request, options.trustedProxies);
      const scope = `notification:${networkOf(remoteAddress)}`;
      const start = windowStart(WINDOW_SECONDS);
      const [used = 0] = await countUses(services.db.sql, [scope], start);
      if (used > options.ipRateLimit)
        throw rateLimited(
          { limit: options.ipRateLimit, used, resetsAt: start + WINDOW_SECONDS },
          "Too many notifications from this network. Send them again later.",
        );
      await receive(services, request, remoteAddress);
      await uncountUse(services.db.sql, scope, start);
      return acknowledge(reply);
    },
  });
  refuseOtherMethods(app, url, new Set(["POST"]));
}

interface Notice {
  Params: { type: string };
  Querystring: Readonly<Record<string, unknown>>;
}

/** Applies a notification. Throws the refusal that the gateway is answered when it has no effect. */
async function receive(services: Services, request: FastifyRequest<Notice>, remoteAddress: string): Promise<void> {
  const { account } = request.query;
  // No query for text that cannot be an id.
  const known = typeof account === "string" && /^gw_[0-9a-z]{26}$/.test(account);
  const answer = known
    ? await receiveNotification(services, request.params.type, account, rawOf(services, request, remoteAddress))
    : "unknown_account";
  switch (answer) {
    case "accepted":
      return;
    case "refused":
      throw invalid("The notification is not accepted.");
    case "unknown_account":
      throw new ApiError("not_found", 404, "No such gateway account.");
    case "unclear":
      throw new ApiError("service_unavailable", 503, "The notification cannot be confirmed yet. Send it again later.", {
        headers: { "retry-after": RETRY_AFTER_SECONDS },
      });
  }
}

/** The notification as it was sent. */
const rawOf = (
  services: Services,
  { method, url, headers, body }: FastifyRequest<Notice>,
  remoteAddress: string,
): RawNotification => ({
  method,
  url: services.baseUrl + url,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  ),
  rawBody: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  remoteAddress,
});

const acknowledge = (reply: FastifyReply): FastifyReply => reply.code(200).header("cache-control", "no-store").send();
