import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type NotificationAnswer, receiveNotification } from "../flows/payments/receive-notification.ts";
import type { Services } from "../flows/services.ts";
import type { RawNotification } from "../gateways/contract.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import { networkOf } from "../platform/addresses.ts";
import { clientAddress } from "./client-address.ts";
import { refuseOtherMethods } from "./methods.ts";
import { limitRefused } from "./rate-limit.ts";

const BODY_BYTES_MAX = 256 * 1024;
const RETRY_AFTER_SECONDS = "30";
const WELL_FORMED_TYPE = /^[\w.+-]+\/[\w.+-]+\s*(;|$)/;

/**
 * Registers `POST /api/webhooks/<type>?account=<gateway account id>` (interface 17.3): 200 without a body when the
 * effect is committed, 400 when the message is refused, 404 for an unknown account, 429 above a limit, 503 when the
 * gateway has to be queried and does not answer, or when one of the facts could not be applied. No API key is needed:
 * the message is authenticated by its signature. One limit counts messages without a valid signature by the sender's
 * network and the account, so that an account with a wrong secret does not block messages of other accounts, which come
 * from the same gateway; another counts messages for unknown accounts by network.
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
      const account = gatewayAccountNamed(request);
      const unknown = `notification:${networkOf(remoteAddress)}`;
      const scopes = account === null ? [unknown] : [unknown, `${unknown}:${account}`];
      const countRefused = await limitRefused(services.db, {
        scopes,
        limit: options.ipRateLimit,
        message: "Too many notifications from this network. Send them again later.",
      });
      const raw = rawOf(services, request, remoteAddress);
      const answer =
        account === null ? "unknown_account" : await receiveNotification(services, request.params.type, account, raw);
      if (answer !== "accepted" && answer !== "not_applied")
        await countRefused(answer === "unknown_account" ? unknown : (scopes.at(-1) ?? unknown));
      return acknowledge(reply, answer);
    },
  });
  refuseOtherMethods(app, url, new Set(["POST"]));
}

interface Notice {
  Params: { type: string };
  Querystring: Readonly<Record<string, unknown>>;
}

/** The account that the URL names; null for text that cannot be an id. */
const gatewayAccountNamed = ({ query: { account } }: FastifyRequest<Notice>): string | null =>
  typeof account === "string" && /^gw_[0-9a-z]{26}$/.test(account) ? account : null;

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

/** Replies 200 when the notification was accepted; else throws the refusal. */
function acknowledge(reply: FastifyReply, answer: NotificationAnswer): FastifyReply {
  switch (answer) {
    case "accepted":
      return reply.code(200).header("cache-control", "no-store").send();
    case "refused":
      throw invalid("The notification is not accepted.");
    case "unknown_account":
      throw new ApiError("not_found", 404, "No such gateway account.");
    case "unclear":
      throw sendAgain("The notification cannot be confirmed yet.");
    case "not_applied":
      throw sendAgain("The notification cannot be applied yet.");
  }
}

const sendAgain = (why: string): ApiError =>
  new ApiError("service_unavailable", 503, `${why} Send it again later.`, {
    headers: { "retry-after": RETRY_AFTER_SECONDS },
  });
