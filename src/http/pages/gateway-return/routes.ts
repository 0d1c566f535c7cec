import type { FastifyReply, FastifyRequest } from "fastify";
import { returnToGatewayAccount } from "../../../flows/payments/return-to-gateway-account.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { networkOf } from "../../../platform/addresses.ts";
import { rateLimited, windowStart, withinLimit } from "../../rate-limit.ts";
import { createSite, mountPages, noSuchPage, type RegisterPages, type Site } from "../site.ts";

/** The largest number of returns from one network in a window: many payers may share an address. */
const RETURNS = { uses: 120, seconds: 60 };

/** Registers return pages for gateways that have one address for all payments of an account. */
export const registerGatewayReturn: RegisterPages = (app, services, options) => {
  const site = createSite(services, options);
  const answer = (request: FastifyRequest, reply: FastifyReply) => comeBack(site, request, reply);
  mountPages(app, site, "/gateway-return", [{ url: "/:type", get: answer, post: answer }]);
};

async function comeBack(site: Site, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { services } = site;
  const { ip } = site.payer(request);
  const scope = `gateway-return:${networkOf(ip)}`;
  if (!(await withinLimit(services.db, scope, RETURNS.uses, RETURNS.seconds)))
    throw rateLimited(
      { limit: RETURNS.uses, used: RETURNS.uses + 1, resetsAt: windowStart(RETURNS.seconds) + RETURNS.seconds },
      "Too many returns from this network. Try again shortly.",
    );
  const { type } = request.params as { type: string };
  const given = { ...(request.query as object), ...(request.body as object | undefined) };
  const fields = new URLSearchParams(
    Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === "string"),
  );
  const account = fields.get("account") ?? "";
  fields.delete("account");
  const raw = {
    method: "POST",
    url: services.baseUrl + request.url,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    rawBody: Buffer.from(fields.toString()),
    remoteAddress: ip,
  };
  const url = /^gw_[0-9a-z]{26}$/.test(account) ? await returnToGatewayAccount(services, type, account, raw) : null;
  if (url === null) throw noSuchPage();
  if (url === "unclear")
    throw new ApiError(
      "service_unavailable",
      503,
      "The gateway has not confirmed the payment yet. Load the page again shortly.",
    );
  return site.goTo(reply, url);
}
