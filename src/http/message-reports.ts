import type { FastifyInstance, FastifyRequest } from "fastify";
import { openReports, receiveReports } from "../flows/messages/receive-reports.ts";
import type { Services } from "../flows/services.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import { REPORTS_PAGE } from "../modules/messages/declarations.ts";
import { networkOf } from "../platform/addresses.ts";
import { clientAddress } from "./client-address.ts";
import { refuseOtherMethods } from "./methods.ts";
import { limitRefused } from "./rate-limit.ts";

const BODY_BYTES_MAX = 256 * 1024;

interface Reported {
  Params: { token: string };
  Querystring: Readonly<Record<string, unknown>>;
}

/**
 * Registers `/message-reports/<token>` (interface 17.7), where providers of messages report deliveries and replies: 200
 * when the effect is committed, 400 when the report is refused, 404 for an unknown address, 429 for too many of these
 * from one network. GET answers the challenge with which WhatsApp checks the address.
 */
export function registerMessageReports(
  app: FastifyInstance,
  services: Services,
  options: { readonly ipRateLimit: number; readonly trustedProxies: number },
): void {
  const url = `/${REPORTS_PAGE.path}/:token`;
  const opened = async (request: FastifyRequest<Reported>) => {
    const ip = clientAddress(request, options.trustedProxies);
    const scope = `message-reports:${networkOf(ip)}`;
    const countRefused = await limitRefused(services.db, {
      scopes: [scope],
      limit: options.ipRateLimit,
      message: "Too many reports from this network. Send them again later.",
    });
    const refuse = async (why: ApiError): Promise<never> => {
      await countRefused(scope);
      throw why;
    };
    const account = await openReports(services, request.params.token, ip);
    return { account: account ?? (await refuse(new ApiError("not_found", 404, "No such address."))), refuse };
  };
  app.route<Reported>({
    method: "POST",
    url,
    bodyLimit: BODY_BYTES_MAX,
    handler: async (request, reply) => {
      const { account, refuse } = await opened(request);
      const { headers, body } = request;
      const rawBody = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
      const single = Object.entries(headers).map(([name, value]) => [name, String(value ?? "")] as const);
      if (!(await receiveReports(services, account, { headers: Object.fromEntries(single), rawBody })))
        await refuse(invalid("The report is not accepted."));
      return reply.code(200).header("cache-control", "no-store").send();
    },
  });
  app.route<Reported>({
    method: "GET",
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const { account, refuse } = await opened(request);
      const { "hub.verify_token": token, "hub.challenge": challenge = "" } = request.query;
      if (token !== account.account.id) await refuse(invalid("The verify token is another one."));
      return reply.type("text/plain").header("cache-control", "no-store").send(String(challenge));
    },
  });
  refuseOtherMethods(app, url, new Set(["POST", "GET"]));
}
