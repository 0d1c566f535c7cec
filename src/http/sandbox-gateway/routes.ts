import type { FastifyInstance, FastifyRequest } from "fastify";
import {
  addDebitLines,
  openDebitBatch,
  readDebitBatch,
  readDebitResults,
  submitDebitBatch,
} from "../../flows/sandbox-gateway/debit-batches.ts";
import { receiveEvidence } from "../../flows/sandbox-gateway/evidence.ts";
import { createMandate, findMandate, mandateView } from "../../flows/sandbox-gateway/mandates.ts";
import { authenticateMerchant, type SandboxMerchant } from "../../flows/sandbox-gateway/merchant.ts";
import { createCharge, createCheckout, findPayment } from "../../flows/sandbox-gateway/payments.ts";
import { findRefund, refundPayment } from "../../flows/sandbox-gateway/refunds.ts";
import { actOnSubscription, changeSubscription, findSubscription } from "../../flows/sandbox-gateway/subscriptions.ts";
import type { Services } from "../../flows/services.ts";
import { bankAccountWarnings, paymentView } from "../../gateways/sandbox/server.ts";
import { subscriptionView } from "../../gateways/sandbox/subscriptions.ts";
import * as wire from "../../gateways/sandbox/wire.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { isStorable } from "../../kernel/text.ts";
import { parse } from "../errors.ts";
import { readBody, readJson } from "../mount.ts";

/** Room for `LINES_TOGETHER` debits whose texts are as long as they may be. */
const LINES_BYTES_MAX = 4 * 1024 * 1024;

type Method = "GET" | "POST" | "PATCH";

/**
 * Answers a call of the gateway's API; null for an unknown record, which is 404. The answer must hold no secret of
 * other merchants.
 */
type Answer = (merchant: SandboxMerchant, request: FastifyRequest) => object | null | Promise<object | null>;

/** One path of the API. */
interface Route {
  readonly method: Method;
  readonly path: string;
  readonly status?: 200 | 201;
  readonly bodyLimit?: number;
  readonly answer: Answer;
}

/** The sandbox gateway's API for its merchants, below `/sandbox-gateway/api` (gateways/sandbox/wire.ts). */
export function registerSandboxApi(app: FastifyInstance, services: Services): void {
  const routes = [
    ...paymentRoutes(services),
    ...subscriptionRoutes(services),
    ...debitRoutes(services),
    ...mandateRoutes(services),
  ];
  for (const { method, path, status = 200, bodyLimit, answer } of routes)
    app.route({
      method,
      url: wire.API_PATH + path,
      exposeHeadRoute: false,
      ...(bodyLimit === undefined ? {} : { bodyLimit }),
      handler: async (request, reply) => {
        const body = await answer(await authenticated(services, request), request);
        if (!body) throw notFound("record");
        return reply
          .code(status)
          .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
          .send(JSON.stringify(body));
      },
    });
}

const paymentRoutes = (services: Services): readonly Route[] => [
  {
    method: "POST",
    path: "/checkouts",
    status: 201,
    answer: (merchant, request) =>
      createCheckout(services, merchant, parse(wire.CheckoutRequest, readBody(request), "body")),
  },
  {
    method: "POST",
    path: "/charges",
    status: 201,
    answer: async (merchant, request) =>
      paymentView(await createCharge(services, merchant, parse(wire.ChargeRequest, readBody(request), "body"))),
  },
  {
    method: "GET",
    path: "/payments/:name",
    answer: async (merchant, request) => {
      const payment = await findPayment(services, merchant, nameIn(request));
      return payment && paymentView(payment);
    },
  },
  {
    method: "POST",
    path: "/payments/:name/evidence",
    answer: (merchant, request) =>
      receiveEvidence(services, merchant, nameIn(request), parse(wire.EvidenceRequest, readBody(request), "body")),
  },
  {
    method: "POST",
    path: "/refunds",
    status: 201,
    answer: (merchant, request) =>
      refundPayment(services, merchant, parse(wire.RefundRequest, readBody(request), "body")),
  },
  {
    method: "GET",
    path: "/refunds/:name",
    answer: (merchant, request) => findRefund(services, merchant, nameIn(request)),
  },
];

const subscriptionRoutes = (services: Services): readonly Route[] => [
  {
    method: "GET",
    path: "/subscriptions/:name",
    answer: async (merchant, request) => {
      const subscription = await findSubscription(services, merchant, nameIn(request));
      return subscription && subscriptionView(subscription);
    },
  },
  {
    method: "PATCH",
    path: "/subscriptions/:name",
    answer: async (merchant, request) => {
      const change = parse(wire.SubscriptionChange, readBody(request), "body");
      return subscriptionView(await changeSubscription(services, merchant, nameIn(request), change));
    },
  },
  ...(["pause", "resume", "cancel"] as const).map(
    (action): Route => ({
      method: "POST",
      path: `/subscriptions/:name/${action}`,
      answer: async (merchant, request) =>
        subscriptionView(await actOnSubscription(services, merchant, nameIn(request), action)),
    }),
  ),
];

const debitRoutes = (services: Services): readonly Route[] => [
  {
    method: "POST",
    path: "/debit-batches",
    status: 201,
    answer: (merchant, request) =>
      openDebitBatch(services, merchant, parse(wire.DebitBatchRequest, readBody(request), "body")),
  },
  {
    method: "POST",
    path: "/debit-batches/:name/lines",
    bodyLimit: LINES_BYTES_MAX,
    answer: (merchant, request) =>
      addDebitLines(services, merchant, nameIn(request), parse(wire.DebitLines, readJson(request), "body")),
  },
  {
    method: "POST",
    path: "/debit-batches/:name/submit",
    answer: (merchant, request) => {
      const { lines } = parse(wire.DebitBatchClose, readBody(request), "body");
      return submitDebitBatch(services, merchant, nameIn(request), lines);
    },
  },
  {
    method: "GET",
    path: "/debit-batches/:name",
    answer: (merchant, request) => readDebitBatch(services, merchant, nameIn(request)),
  },
  {
    method: "GET",
    path: "/debit-batches/:name/payments",
    answer: (merchant, request) => {
      const { after } = parse(wire.DebitResultsQuery, request.query, "query");
      return readDebitResults(services, merchant, nameIn(request), after);
    },
  },
];

const mandateRoutes = (services: Services): readonly Route[] => [
  {
    method: "POST",
    path: "/mandates",
    status: 201,
    answer: async (merchant, request) => {
      const asked = parse(wire.MandateRequest, readBody(request), "body");
      return mandateView(services, await createMandate(services, merchant, asked));
    },
  },
  {
    method: "GET",
    path: "/mandates/:name",
    answer: async (merchant, request) => {
      const mandate = await findMandate(services, merchant, nameIn(request));
      return mandate && mandateView(services, mandate);
    },
  },
  {
    method: "POST",
    path: "/bank-account-checks",
    answer: (_merchant, request) => ({
      warnings: bankAccountWarnings(parse(wire.BankAccount, readBody(request), "body").number),
    }),
  },
];

async function authenticated(services: Services, { headers }: FastifyRequest): Promise<SandboxMerchant> {
  const account = String(headers[wire.ACCOUNT_HEADER] ?? "");
  const merchant = await authenticateMerchant(services, account, headers.authorization);
  if (merchant) return merchant;
  throw new ApiError("unauthorized", 401, "Account, merchant id and secret do not belong together.");
}

function nameIn(request: FastifyRequest): string {
  const { name } = request.params as { name: string };
  if (!isStorable(name)) throw notFound("record");
  return name;
}
