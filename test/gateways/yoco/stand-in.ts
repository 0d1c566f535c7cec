import { createHmac, randomBytes } from "node:crypto";
import {
  json,
  newGatewayId,
  type OpenProtocol,
  type StandInFrame,
  type StandInPayment,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  UNKNOWN,
} from "../stand-in.ts";

const CREDENTIALS = { secretKey: "sk_live_3f9c01ab77e54d2e" };

/** Yoco's checkouts, refunds, registered addresses and signed messages. */
export const standIn: StandInProtocol = {
  type: "yoco",
  credentials: CREDENTIALS,
  wrongCredentials: { secretKey: "sk_live_of_nobody" },
  refundCall: "POST /api/checkouts",
  open,
};

interface Checkout {
  readonly id: string;
  /** Whole cents. */
  amount: number;
  readonly currency: string;
  readonly successUrl: string;
  readonly cancelUrl: string;
  readonly failureUrl: string;
  readonly externalId: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  status: "created" | "started" | "processing" | "completed";
  paymentId: string | null;
  outcome: StandInPayment["status"];
  refunded: number;
}

interface Refund {
  readonly id: string;
  readonly checkout: Checkout;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
  status: "pending" | "succeeded" | "failed";
}

interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly mode: "live";
  readonly secret: string;
}

const refusal = (status: number, description: string) => json(status, { errorType: "validation", description });

/** What the gateway keeps. */
interface Books {
  readonly frame: StandInFrame;
  readonly checkouts: Checkout[];
  readonly refunds: Refund[];
  readonly webhooks: Webhook[];
  /** Answers by Idempotency-Key, with the body that they were given to. */
  readonly answered: Map<string, { readonly body: string; readonly reply: StandInReply }>;
}

function open(frame: StandInFrame): OpenProtocol {
  const books: Books = { frame, checkouts: [], refunds: [], webhooks: [], answered: new Map() };
  return {
    answer: (request) => answer(books, request),
    payments: () =>
      books.checkouts.map(({ externalId = "", outcome, amount, refunded }) => ({
        reference: externalId,
        status: outcome,
        amount,
        refunded,
      })),
    acts: {
      // Other merchants of a test have the same key, and so their addresses here: a fault is for the notice to the one that acts.
      notifyAt(url) {
        books.webhooks.splice(0, books.webhooks.length, ...books.webhooks.filter((webhook) => webhook.url === url));
      },
      async endsRefund(reference, outcome) {
        const refund = books.refunds.find(
          ({ checkout, status }) => checkout.externalId === reference && status === "pending",
        );
        if (!refund) throw new Error(`no refund of ${reference} is open`);
        refund.status = outcome === "processed" ? "succeeded" : "failed";
        if (outcome === "failed") refund.checkout.refunded -= refund.amount;
        await tellRefund(books, refund);
      },
    },
  };
}

function answer(books: Books, request: StandInRequest): StandInReply {
  if (request.headers["authorization"] !== `Bearer ${CREDENTIALS.secretKey}`)
    return json(401, { errorType: "authentication", description: "The key is not valid" });
  const [, api, kind, id = "", below] = request.path.split("/");
  if (api !== "api") return UNKNOWN;
  const route = `${request.method} ${kind}${id ? "/:id" : ""}${below ? `/${below}` : ""}`;
  const checkout = books.checkouts.find((one) => one.id === id);
  const webhook = books.webhooks.findIndex((one) => one.id === id);
  if (route === "POST checkouts") return once(books, request, () => createCheckout(books, request));
  if (route === "GET checkouts/:id" && checkout) {
    const { status, paymentId, amount, currency, externalId } = checkout;
    return json(200, { id, status, paymentId, amount, currency, externalId, processingMode: "live" });
  }
  if (route === "POST checkouts/:id/refund" && checkout)
    return once(books, request, () => createRefund(books, checkout, request));
  if (route === "GET webhooks")
    return json(200, { subscriptions: books.webhooks.map(({ secret: _, ...shown }) => shown) });
  if (route === "POST webhooks") return registerWebhook(books, request);
  if (route === "DELETE webhooks/:id" && webhook >= 0) {
    books.webhooks.splice(webhook, 1);
    return { status: 204 };
  }
  return UNKNOWN;
}

/** A create or a refund is made once for each key; a key with another body is refused. */
function once({ answered }: Books, request: StandInRequest, make: () => StandInReply): StandInReply {
  const key = request.headers["idempotency-key"];
  if (!key) return make();
  const before = answered.get(key);
  if (before) return before.body === request.text ? before.reply : refusal(422, "the key was used with another body");
  const reply = make();
  answered.set(key, { body: request.text, reply });
  return reply;
}

function createCheckout(books: Books, { text }: StandInRequest): StandInReply {
  const { amount, currency, successUrl, cancelUrl, failureUrl, externalId, metadata = {} } = JSON.parse(text);
  if (!Number.isInteger(amount) || amount < 200) return refusal(422, "amount must be at least 200 cents");
  if (currency !== "ZAR") return refusal(422, "currency must be ZAR");
  for (const url of [successUrl, cancelUrl, failureUrl])
    if (!URL.canParse(String(url))) return refusal(422, "a URL is not valid");
  const checkout: Checkout = {
    ...{ id: newGatewayId("ch_"), amount, currency, successUrl, cancelUrl, failureUrl, externalId, metadata },
    ...{ status: "created", paymentId: null, outcome: "pending", refunded: 0 },
  };
  books.checkouts.push(checkout);
  const redirectUrl = books.frame.payerUrl({
    title: "Yoco",
    lines: [`${currency} ${(amount / 100).toFixed(2)}`, `For ${externalId ?? checkout.id}`],
    outcomes: { paid: "Pay", failed: "Be declined", cancelled: "Cancel", pending: "Leave it undecided" },
    decide: (outcome) => decided(books, checkout, outcome),
  });
  return json(200, { id: checkout.id, redirectUrl, status: "created", processingMode: "live" });
}

async function decided(books: Books, checkout: Checkout, outcome: string): Promise<string> {
  if (outcome === "cancelled") return checkout.cancelUrl;
  if (checkout.status === "completed") return checkout.successUrl;
  const paymentId = newGatewayId("p_");
  if (outcome === "failed") {
    checkout.outcome = "failed";
    await tellPayment(books, checkout, paymentId, false);
    return checkout.failureUrl;
  }
  checkout.status = outcome === "paid" ? "completed" : "processing";
  checkout.paymentId = outcome === "paid" ? paymentId : null;
  checkout.outcome = outcome === "paid" ? "paid" : "pending";
  if (outcome === "paid") await tellPayment(books, checkout, paymentId, true);
  return checkout.successUrl;
}

function createRefund(books: Books, checkout: Checkout, { text }: StandInRequest): StandInReply {
  const { amount = checkout.amount - checkout.refunded, metadata = {} } = text ? JSON.parse(text) : {};
  if (checkout.status !== "completed") return refusal(422, "the checkout is not completed");
  if (!Number.isInteger(amount) || amount < 1 || amount > checkout.amount - checkout.refunded)
    return refusal(422, "the amount is more than can be refunded");
  checkout.refunded += amount;
  // A whole refund is made at once, a part of one later.
  const status = amount === checkout.amount ? "succeeded" : "pending";
  const refund: Refund = { id: newGatewayId("rfd_"), checkout, amount, metadata, status };
  books.refunds.push(refund);
  return json(status === "succeeded" ? 200 : 202, { id: checkout.id, refundId: refund.id, status });
}

function registerWebhook({ webhooks }: Books, { text }: StandInRequest): StandInReply {
  const { name, url } = JSON.parse(text);
  if (!name || !URL.canParse(String(url))) return refusal(422, "name and url are needed");
  const secret = `whsec_${randomBytes(24).toString("base64")}`;
  const webhook: Webhook = { id: newGatewayId("sub_"), name, url, mode: "live", secret };
  webhooks.push(webhook);
  return json(201, webhook);
}

const tellPayment = (books: Books, checkout: Checkout, paymentId: string, succeeded: boolean): Promise<void> => {
  const status = succeeded ? "succeeded" : "failed";
  return tell(books, `payment ${checkout.externalId} ${status}`, `payment.${status}`, (amount) => {
    // Yoco's own books then have the other amount too.
    if (amount !== undefined) checkout.amount = amount;
    return {
      id: paymentId,
      type: "payment",
      createdDate: books.frame.now().toISOString(),
      amount: checkout.amount,
      currency: checkout.currency,
      status,
      mode: "live",
      ...(succeeded ? {} : { failureReason: "Insufficient funds" }),
      metadata: { checkoutId: checkout.id, productType: "checkout", ...checkout.metadata },
      paymentMethodDetails: { type: "card", card: { scheme: "visa", maskedCard: "************4242" } },
    };
  });
};

const tellRefund = (books: Books, refund: Refund): Promise<void> =>
  tell(books, `refund of ${refund.checkout.externalId} ${refund.status}`, `refund.${refund.status}`, (amount) => ({
    id: refund.id,
    paymentId: refund.checkout.paymentId,
    amount: amount ?? refund.amount,
    currency: refund.checkout.currency,
    refundableAmount: refund.checkout.amount - refund.checkout.refunded,
    mode: "live",
    ...(refund.status === "failed" ? { failureReason: "The card's bank refused it" } : {}),
    metadata: { checkoutId: refund.checkout.id, ...refund.metadata },
  }));

/** Sends an event to a registered address, signed with that address's secret. */
async function tell(
  { frame, webhooks }: Books,
  about: string,
  type: string,
  payloadOf: (amount: number | undefined) => object,
): Promise<void> {
  const id = newGatewayId("msg_");
  // Every merchant of a test has the same key; the one whose address was registered last is told.
  const [{ url, secret } = { url: null, secret: "" }] = webhooks.slice(-1);
  if (url !== null)
    await frame.send({
      about,
      url,
      compose: ({ amount }) => {
        const event = {
          id: newGatewayId("evt_"),
          type,
          createdDate: frame.now().toISOString(),
          payload: payloadOf(amount),
        };
        const body = JSON.stringify(event);
        const time = Math.floor(Date.now() / 1000);
        const key = Buffer.from(secret.slice("whsec_".length), "base64");
        const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
        const headers = {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": String(time),
          "webhook-signature": `v1,${signature}`,
        };
        return { headers, body };
      },
    });
}
