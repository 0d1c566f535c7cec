import type { FastifyInstance, FastifyRequest } from "fastify";
import { authenticateMerchant, type SandboxMerchant } from "../../flows/sandbox-gateway/merchant.ts";
import { createCharge, createCheckout, findPayment } from "../../flows/sandbox-gateway/payments.ts";
import { findRefund, refundPayment } from "../../flows/sandbox-gateway/refunds.ts";
import type { Services } from "../../flows/services.ts";
import { paymentView } from "../../gateways/sandbox/server.ts";
import {
  ACCOUNT_HEADER,
  API_PATH,
  ChargeRequest,
  CheckoutRequest,
  RefundRequest,
} from "../../gateways/sandbox/wire.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { isStorable } from "../../kernel/text.ts";
import { parse } from "../errors.ts";
import { readBody } from "../mount.ts";

interface Reply {
  readonly status: 200 | 201;
  readonly body: object;
}

/** Registers the sandbox gateway's API for merchants: `POST` and `GET /sandbox-gateway/api/…` (gateways/sandbox/wire.ts). */
export function registerSandboxApi(app: FastifyInstance, services: Services): void {
  const route = (
    method: "GET" | "POST",
    path: string,
    answer: (merchant: SandboxMerchant, request: FastifyRequest) => Promise<Reply>,
  ) =>
    app.route({
      method,
      url: API_PATH + path,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const { status, body } = await answer(await admit(services, request), request);
        return reply
          .code(status)
          .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
          .send(JSON.stringify(body));
      },
    });

  route("POST", "/checkouts", async (merchant, request) => ({
    status: 201,
    body: await createCheckout(services, merchant, parse(CheckoutRequest, readBody(request), "body")),
  }));
  route("POST", "/charges", async (merchant, request) => ({
    status: 201,
    body: paymentView(await createCharge(services, merchant, parse(ChargeRequest, readBody(request), "body"))),
  }));
  route("GET", "/payments/:name", async (merchant, request) => {
    const payment = await findPayment(services, merchant, nameIn(request));
    if (!payment) throw notFound("payment");
    return { status: 200, body: paymentView(payment) };
  });
  route("POST", "/refunds", async (merchant, request) => ({
    status: 201,
    body: await refundPayment(services, merchant, parse(RefundRequest, readBody(request), "body")),
  }));
  route("GET", "/refunds/:name", async (merchant, request) => {
    const refund = await findRefund(services, merchant, nameIn(request));
    if (!refund) throw notFound("refund");
    return { status: 200, body: refund };
  });
}

async function admit(services: Services, { headers }: FastifyRequest): Promise<SandboxMerchant> {
  const merchant = await authenticateMerchant(services, String(headers[ACCOUNT_HEADER] ?? ""), headers.authorization);
  if (merchant) return merchant;
  throw new ApiError("unauthorized", 401, "Account, merchant id and secret do not belong together.");
}

function nameIn(request: FastifyRequest): string {
  const { name } = request.params as { name: string };
  if (!isStorable(name)) throw notFound("record");
  return name;
}
