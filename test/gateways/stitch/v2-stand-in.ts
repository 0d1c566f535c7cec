import { createHmac, randomUUID } from "node:crypto";
import {
  json,
  newGatewayId,
  type OpenProtocol,
  randText,
  type StandInFrame,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  UNKNOWN,
} from "../stand-in.ts";

const CREDENTIALS = {
  api: "v2",
  clientId: "test-0b3f9d1c-9e0b-4f7d-8a54-5f4f5f0a7d10",
  clientSecret: "kq0x8pB1uV2nT5dZ7sYwLr3mJhQe9cGa",
  webhookSecret: "whsec_c3RpdGNoLXYyLXNlY3JldC1vZi1hLXRlc3Q=",
  merchantId: "merchant-7f3a",
};

/** Stitch's API: payment requests by REST (version 2), refunds by GraphQL, and signed messages of GraphQL's shape. */
export const standInV2: StandInProtocol = {
  type: "stitch",
  credentials: CREDENTIALS,
  wrongCredentials: { ...CREDENTIALS, clientSecret: "not-the-secret" },
  refundCall: "POST /graphql",
  beforeRefund: "POST /connect/token",
  open,
};

type Status = "pending" | "completed" | "cancelled" | "expired";

interface PaymentRequest {
  readonly id: string;
  readonly externalReference: string;
  readonly methods: { readonly eft: boolean };
  /** Whole cents. */
  amount: number;
  status: Status;
}

interface Refund {
  readonly id: string;
  readonly nonce: string;
  readonly amount: number;
  readonly payment: PaymentRequest;
  status: "RefundPending" | "RefundPaused" | "RefundCompleted" | "RefundError";
}

/** What the gateway keeps. */
interface Books {
  readonly frame: StandInFrame;
  readonly tokens: Map<string, string>;
  readonly payments: PaymentRequest[];
  readonly refunds: Refund[];
  notifyUrl: string | null;
}

const problem = (status: number, detail: string): StandInReply => json(status, { title: "Refused", detail });
const fault = (message: string): StandInReply =>
  json(200, { data: null, errors: [{ message, extensions: { code: "BAD_USER_INPUT" } }] });

/** Rand with at most two decimals as whole cents; null for anything else. */
function centsOf(quantity: unknown): number | null {
  const text = String(quantity);
  return /^\d{1,9}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : null;
}

function open(frame: StandInFrame): OpenProtocol {
  const books: Books = { frame, tokens: new Map(), payments: [], refunds: [], notifyUrl: null };
  const refundsOf = (payment: PaymentRequest) =>
    books.refunds.filter((refund) => refund.payment === payment && refund.status !== "RefundError");
  return {
    answer: (request) => answer(books, request),
    payments: () =>
      books.payments.map((payment) => ({
        reference: payment.externalReference,
        status: ({ pending: "pending", completed: "paid", cancelled: "cancelled", expired: "cancelled" } as const)[
          payment.status
        ],
        amount: payment.amount,
        refunded: refundsOf(payment).reduce((total, { amount }) => total + amount, 0),
      })),
    acts: {
      notifyAt(url) {
        books.notifyUrl = url;
      },
      async endsRefund(reference, outcome) {
        const refund = books.refunds.findLast(({ payment }) => payment.externalReference === reference);
        if (!refund) throw new Error(`no refund of ${reference}`);
        refund.status = outcome === "processed" ? "RefundCompleted" : "RefundError";
        await tell(books, `refund of ${reference} ${refund.status}`, () => ({
          refunds: { node: { id: refund.id, status: { __typename: refund.status } } },
        }));
      },
    },
  };
}

function answer(books: Books, request: StandInRequest): StandInReply {
  const { method, path, headers, query } = request;
  const asked = /^\/pay\/([^/]+)$/.exec(path)?.[1];
  if (method === "GET" && asked) return payerPage(books, asked, query);
  if (method === "POST" && path === "/connect/token") return issueToken(books, request);
  const scope = books.tokens.get(String(headers["authorization"]).replace(/^Bearer /, ""));
  const graphql = path === "/graphql";
  if (scope !== (graphql ? "client_refund" : "client_paymentrequest"))
    return problem(scope === undefined ? 401 : 403, "The access token does not allow it");
  if (method === "POST" && graphql) return resolve(books, request);
  if (method === "POST" && path === "/v2/payment-requests") return create(books, request);
  const id = /^\/v2\/payment-requests\/([^/]+)$/.exec(path)?.[1];
  const found = books.payments.find((one) => one.id === id);
  return method === "GET" && found ? json(200, shown(found)) : UNKNOWN;
}

const shown = ({ id, status, externalReference, amount }: PaymentRequest) => ({
  ...{ id, status, externalReference },
  amount: { currency: "ZAR", quantity: randText(amount) },
});

function issueToken({ tokens }: Books, { text, headers }: StandInRequest): StandInReply {
  const form = Object.fromEntries(new URLSearchParams(text));
  if (headers["content-type"] !== "application/x-www-form-urlencoded" || form["grant_type"] !== "client_credentials")
    return json(400, { error: "unsupported_grant_type" });
  if (form["client_id"] !== CREDENTIALS.clientId || form["client_secret"] !== CREDENTIALS.clientSecret)
    return json(400, { error: "invalid_client" });
  if (form["audience"] !== "https://secure.stitch.money/connect/token") return json(400, { error: "invalid_target" });
  const scope = form["scope"] ?? "";
  if (!["client_paymentrequest", "client_refund"].includes(scope)) return json(400, { error: "invalid_scope" });
  const token = newGatewayId("", 16);
  tokens.set(token, scope);
  return json(200, { access_token: token, expires_in: 3600, token_type: "Bearer", scope });
}

function create({ payments, frame }: Books, { text }: StandInRequest): StandInReply {
  const { amount, externalReference, expireAt, payer, paymentMethods, merchantId } = JSON.parse(text);
  const cents = centsOf(amount?.quantity);
  if (cents === null || cents < 1 || amount.currency !== "ZAR") return problem(400, "amount is not valid");
  if (typeof externalReference !== "string" || !externalReference || externalReference.length > 4096)
    return problem(400, "externalReference is not valid");
  if (!payer?.identifier) return problem(400, "payer.identifier is required");
  if (!(Date.parse(expireAt) > frame.now().getTime())) return problem(400, "expireAt must be in the future");
  const { card, eft } = paymentMethods ?? {};
  if (!card?.enabled && !eft?.enabled) return problem(400, "paymentMethods has none that is enabled");
  if (eft?.enabled && merchantId !== CREDENTIALS.merchantId) return problem(400, "merchantId is required for eft");
  const id = randomUUID();
  payments.push({ id, externalReference, methods: { eft: Boolean(eft?.enabled) }, amount: cents, status: "pending" });
  return json(201, { id, status: "pending", interaction: { type: "redirect", url: `${frame.url}/pay/${id}` } });
}

function payerPage(books: Books, id: string, query: URLSearchParams): StandInReply {
  const payment = books.payments.find((one) => one.id === id);
  const back = query.get("redirect_uri");
  if (!payment || back === null) return UNKNOWN;
  return books.frame.payerPage({
    title: "Stitch",
    lines: [`R ${randText(payment.amount)}`, payment.externalReference],
    outcomes: {
      paid: "Pay",
      cancelled: "Cancel",
      expired: "Let it expire",
      failed: "Be declined",
      pending: "Leave it undecided",
    },
    async decide(outcome) {
      // A payer whose card was declined may try another one.
      if (payment.status !== "pending" || outcome === "pending" || outcome === "failed") return back;
      const ends = { paid: "completed", cancelled: "cancelled", expired: "expired" } as const;
      payment.status = ends[outcome as keyof typeof ends];
      await tell(books, `payment ${payment.externalReference} ${payment.status}`, (changed) => {
        // Stitch's own books then have the other amount too.
        if (changed !== undefined) payment.amount = changed;
        const state = `PaymentInitiationRequest${payment.status.replace(/^./, (first) => first.toUpperCase())}`;
        return { paymentInitiationRequests: { node: { ...shown(payment), state: { __typename: state } } } };
      });
      return outcome === "paid" ? back : (query.get("failure_redirect_uri") ?? back);
    },
  });
}

/** Sends a message, signed by Svix, to the address that the merchant has registered. */
async function tell(
  { frame, notifyUrl }: Books,
  about: string,
  clientOf: (amount: number | undefined) => object,
): Promise<void> {
  const id = newGatewayId("msg_");
  if (notifyUrl === null) return;
  await frame.send({
    about,
    url: notifyUrl,
    compose: ({ amount }) => {
      const body = JSON.stringify({ data: { client: clientOf(amount) } });
      const time = Math.floor(Date.now() / 1000);
      const key = Buffer.from(CREDENTIALS.webhookSecret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
      const signed = { "svix-id": id, "svix-timestamp": String(time), "svix-signature": `v1,${signature}` };
      return { headers: { "content-type": "application/json", ...signed }, body };
    },
  });
}

const refundNode = ({ id, nonce, amount, payment, status }: Refund) => ({
  ...{ id, nonce, status: { __typename: status } },
  amount: { quantity: randText(amount), currency: "ZAR" },
  paymentInitiationRequest: { id: payment.id, externalReference: payment.externalReference },
});

function resolve(books: Books, { text }: StandInRequest): StandInReply {
  const { query, variables } = JSON.parse(text);
  if (/^query\b[^{]*\{\s*node\(id: \$id\)/.test(query)) {
    const found = books.refunds.find(({ id }) => id === variables.id);
    return json(200, { data: { node: found ? refundNode(found) : null } });
  }
  if (!/^mutation\b[^{]*\{\s*clientRefundInitiate\(/.test(query)) return fault("Cannot query field");
  return initiate(books, variables);
}

function initiate({ payments, refunds }: Books, variables: Record<string, unknown>): StandInReply {
  const { amount, reason, nonce, beneficiaryReference, paymentRequestId } = variables;
  const made = refunds.find((refund) => refund.nonce === nonce);
  if (made) return json(200, { data: { clientRefundInitiate: { refund: refundNode(made) } } });
  const payment = payments.find(({ id, status }) => id === paymentRequestId && status === "completed");
  if (!payment) return fault("The payment request was not found");
  const { quantity, currency } = amount as { quantity: unknown; currency: unknown };
  const cents = centsOf(quantity);
  if (!["duplicate", "fraudulent", "requested_by_user"].includes(String(reason))) return fault("reason is not known");
  if (typeof nonce !== "string" || !nonce || !/^.{1,30}$/.test(String(beneficiaryReference)))
    return fault("nonce and beneficiaryReference are required");
  const given = refunds
    .filter((refund) => refund.payment === payment && refund.status !== "RefundError")
    .reduce((total, refund) => total + refund.amount, 0);
  if (cents === null || currency !== "ZAR" || cents < 1 || cents > payment.amount - given)
    return fault("amount is more than can be refunded");
  const refund: Refund = { id: randomUUID(), nonce, amount: cents, payment, status: "RefundPending" };
  refunds.push(refund);
  return json(200, { data: { clientRefundInitiate: { refund: refundNode(refund) } } });
}
