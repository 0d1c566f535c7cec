import { createHmac, randomUUID } from "node:crypto";
import {
  json,
  newGatewayId,
  type OpenProtocol,
  type StandInActs,
  type StandInFrame,
  type StandInPayment,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  UNKNOWN,
} from "../stand-in.ts";

const CREDENTIALS = {
  clientId: "live-f254f830-e370-46c2-9cf4-47da332b33e6",
  clientSecret: "0ARNSf6ryv6Bqo4xWcQxF/TC1rG2thX4Y4YI5cjBWb5Z10xPK1/TOpahJ0OxYn",
  webhookSecret: "whsec_c3RpdGNoLWV4cHJlc3Mtc2VjcmV0LW9mLWEtdGVzdA==",
};

/** Stitch Express: payment links, payments, refunds, subscriptions and signed messages. */
export const standIn: StandInProtocol = {
  type: "stitch",
  credentials: CREDENTIALS,
  wrongCredentials: { ...CREDENTIALS, clientSecret: "not-the-secret" },
  refundCall: "POST /api/v1/payment/",
  beforeRefund: "POST /api/v1/token",
  open,
};

/** What a payer is led to: a payment link, or a subscription that waits for its first payment. */
interface Link {
  readonly id: string;
  readonly type: "LINK" | "SUBSCRIPTION";
  readonly merchantReference: string;
  /** Whole cents: of the link, or of the subscription's first payment. */
  amount: number;
  status: "PENDING" | "PAID" | "CANCELLED" | "FAILED";
  readonly redirectUrl: string | null;
}

interface Payment {
  readonly id: string;
  readonly link: Link;
  amount: number;
  readonly status: "PAID" | "FAILED";
  refunded: number;
}

interface Subscription {
  readonly id: string;
  readonly merchantReference: string;
  readonly amount: number;
  readonly months: number;
  nextDate: string;
  status: "UNAUTHORISED" | "AUTHORISED" | "FAILED" | "CANCELLED";
}

/** What the gateway keeps. */
interface Books {
  readonly frame: StandInFrame;
  /** Access tokens with their scopes. */
  readonly tokens: Map<string, string>;
  readonly links: Link[];
  readonly payments: Payment[];
  readonly subscriptions: Subscription[];
  readonly redirectUrls: string[];
  notifyUrl: string | null;
}

const ok = (data: object): StandInReply => json(200, { success: true, data });
const no = (status: number, ...generalErrors: string[]): StandInReply =>
  json(status, { success: false, generalErrors, fieldErrors: {} });
const wrongField = (name: string, error: string): StandInReply =>
  json(400, { success: false, generalErrors: [], fieldErrors: { [name]: [error] } });

function open(frame: StandInFrame): OpenProtocol {
  const books: Books = {
    ...{ frame, tokens: new Map(), links: [], payments: [], subscriptions: [], redirectUrls: [], notifyUrl: null },
  };
  return {
    answer: (request) => answer(books, request),
    payments: () => [...books.payments.map(paymentInBooks), ...books.links.flatMap(linkInBooks)],
    acts: actsOf(books),
  };
}

const paymentInBooks = ({ link, status, amount, refunded }: Payment): StandInPayment => ({
  reference: link.merchantReference,
  status: status === "PAID" ? "paid" : "failed",
  amount,
  refunded,
});

/** A link without a payment. */
const linkInBooks = ({ merchantReference, status, amount }: Link): StandInPayment[] =>
  status === "PENDING" || status === "CANCELLED"
    ? [{ reference: merchantReference, status: status === "PENDING" ? "pending" : "cancelled", amount, refunded: 0 }]
    : [];

function actsOf(books: Books): StandInActs {
  const subscriptionOf = (reference: string): Subscription => {
    const found = books.subscriptions.find(({ merchantReference }) => merchantReference === reference);
    if (!found) throw new Error(`no subscription began with ${reference}`);
    return found;
  };
  return {
    notifyAt(url) {
      books.notifyUrl = url;
    },
    async renews(reference, outcome) {
      const subscription = subscriptionOf(reference);
      const link = books.links.find(({ id }) => id === subscription.id);
      if (!link) throw new Error("the subscription has no link");
      subscription.status = outcome === "paid" ? "AUTHORISED" : "FAILED";
      const date = new Date(subscription.nextDate);
      date.setUTCMonth(date.getUTCMonth() + subscription.months);
      subscription.nextDate = date.toISOString().slice(0, 10);
      await collect(books, link, subscription.amount, outcome === "paid" ? "PAID" : "FAILED");
    },
    async endsSubscription(reference) {
      const subscription = subscriptionOf(reference);
      subscription.status = "CANCELLED";
      const { id, amount } = subscription;
      await tell(books, `subscription of ${reference} CANCELLED`, () => ({
        ...{
          id,
          type: "SUBSCRIPTION",
          status: "CANCELLED",
          amount: String(amount),
          merchantReference: reference,
          linkId: id,
        },
      }));
    },
    subscription(reference) {
      const found = books.subscriptions.find(({ merchantReference }) => merchantReference === reference);
      if (!found) return null;
      const statuses = {
        UNAUTHORISED: "active",
        AUTHORISED: "active",
        FAILED: "past_due",
        CANCELLED: "cancelled",
      } as const;
      const { status, amount, nextDate } = found;
      return { status: statuses[status], amount, nextDate: status === "CANCELLED" ? null : nextDate };
    },
  };
}

type Route = (books: Books, request: StandInRequest, id: string) => StandInReply;
const PAYMENTS = "client_paymentrequest";
const RECURRING = "client_recurringpaymentconsentrequest";

const ROUTES: readonly (readonly [method: string, path: RegExp, scope: string, Route])[] = [
  ["POST", /^\/api\/v1\/payment-links$/, PAYMENTS, createLink],
  ["GET", /^\/api\/v1\/payment-links\/([^/]+)$/, PAYMENTS, showLink],
  ["GET", /^\/api\/v1\/payment\/([^/]+)$/, PAYMENTS, showPayment],
  ["POST", /^\/api\/v1\/payment\/([^/]+)\/refund$/, PAYMENTS, refund],
  ["GET", /^\/api\/v1\/redirect-urls$/, PAYMENTS, ({ redirectUrls }) => ok({ redirectUrls })],
  ["POST", /^\/api\/v1\/redirect-urls$/, PAYMENTS, addRedirectUrl],
  ["POST", /^\/api\/v1\/subscriptions$/, RECURRING, createSubscription],
  ["GET", /^\/api\/v1\/subscriptions$/, RECURRING, ({ subscriptions }) => ok({ subscriptions })],
  ["POST", /^\/api\/v1\/subscriptions\/([^/]+)\/cancel$/, RECURRING, cancelSubscription],
];

function answer(books: Books, request: StandInRequest): StandInReply {
  const { method, path, headers, query } = request;
  const link = /^\/pay\/([^/]+)$/.exec(path)?.[1];
  if (method === "GET" && link) return payerPage(books, link, query.get("redirect_url"));
  if (!headers["user-agent"] || /^(node|undici)/.test(headers["user-agent"])) return { status: 403, body: "Forbidden" };
  if (method === "POST" && path === "/api/v1/token") return issueToken(books, request);
  for (const [wanted, pattern, scope, route] of ROUTES) {
    const [whole, id = ""] = pattern.exec(path) ?? [];
    if (whole === undefined || wanted !== method) continue;
    const held = books.tokens.get(String(headers["authorization"]).replace(/^Bearer /, ""));
    if (held !== scope) return no(held === undefined ? 401 : 403, "The access token does not allow it");
    return route(books, request, id);
  }
  return UNKNOWN;
}

function issueToken({ tokens }: Books, { text }: StandInRequest): StandInReply {
  const { clientId, clientSecret, scope } = JSON.parse(text);
  if (clientId !== CREDENTIALS.clientId || clientSecret !== CREDENTIALS.clientSecret)
    return no(401, "Invalid client credentials");
  if (scope !== PAYMENTS && scope !== RECURRING) return wrongField("scope", "is not known");
  const accessToken = newGatewayId("", 16);
  tokens.set(accessToken, scope);
  return ok({ accessToken });
}

/** What links and subscriptions have in common. */
function faultOf(body: Record<string, unknown>, name: unknown, now: Date): StandInReply | null {
  const { amount, merchantReference } = body;
  if (!Number.isInteger(amount) || Number(amount) < 100) return wrongField("amount", "must be at least 100 cents");
  if (!/^[A-Za-z0-9 \-)]{1,50}$/.test(String(merchantReference)))
    return wrongField("merchantReference", "is not valid");
  const letters = [...String(name)].length;
  if (typeof name !== "string" || letters < 3 || letters > 40)
    return wrongField("payerName", "must have 3 to 40 characters");
  const until = Date.parse(String(body["expiresAt"] ?? body["endDate"]));
  return until > now.getTime() ? null : wrongField("expiresAt", "must be in the future");
}

function createLink({ links, frame }: Books, { text }: StandInRequest): StandInReply {
  const body = JSON.parse(text);
  const fault = faultOf(body, body.payerName, frame.now());
  if (fault) return fault;
  const { merchantReference, amount } = body;
  const link: Link = {
    id: randomUUID(),
    type: "LINK",
    merchantReference,
    amount,
    status: "PENDING",
    redirectUrl: null,
  };
  links.push(link);
  return ok({ payment: { id: link.id, link: `${frame.url}/pay/${link.id}`, status: link.status } });
}

function createSubscription({ links, subscriptions, frame }: Books, { text }: StandInRequest): StandInReply {
  const body = JSON.parse(text);
  const { merchantReference, amount, initialAmount, startDate, email, payerId, recurrence, merchantRedirectUrl } = body;
  const fault = faultOf(body, body.payerFullName, frame.now());
  if (fault) return fault;
  if (!/^[^@\s]+@[^@\s]+$/.test(String(email)) || !payerId) return wrongField("email", "email and payerId are needed");
  if (!Number.isInteger(initialAmount) || !(Date.parse(startDate) > frame.now().getTime()))
    return wrongField("startDate", "initialAmount and a date in the future are needed");
  const { frequency, interval, byMonthDay } = recurrence ?? {};
  if (!["Monthly", "Yearly"].includes(frequency) || !(interval >= 1) || !(byMonthDay >= 1 && byMonthDay <= 31))
    return wrongField("recurrence", "is not valid");
  if (byMonthDay !== new Date(startDate).getUTCDate())
    return wrongField("recurrence", "does not begin on the start date");
  const id = randomUUID();
  const nextDate = startDate.slice(0, 10);
  const months = frequency === "Yearly" ? 12 * interval : interval;
  subscriptions.push({ id, merchantReference, amount, months, nextDate, status: "UNAUTHORISED" });
  links.push({
    ...{ id, type: "SUBSCRIPTION", merchantReference, status: "PENDING" },
    amount: initialAmount,
    redirectUrl: merchantRedirectUrl,
  });
  return ok({ id, url: `${frame.url}/pay/${id}`, status: "UNAUTHORISED" });
}

function payerPage(books: Books, id: string, asked: string | null): StandInReply {
  const link = books.links.find((one) => one.id === id);
  const back = link?.redirectUrl ?? asked;
  if (!link || back === null) return UNKNOWN;
  return books.frame.payerPage({
    title: "Stitch Express",
    lines: [`R ${(link.amount / 100).toFixed(2)}`, link.merchantReference],
    outcomes: { paid: "Pay", failed: "Be declined", cancelled: "Cancel", pending: "Leave it undecided" },
    async decide(outcome) {
      if (link.status === "PAID" || outcome === "pending") return back;
      if (outcome === "cancelled") link.status = "CANCELLED";
      else await firstPayment(books, link, outcome === "paid" ? "PAID" : "FAILED");
      return back;
    },
  });
}

async function firstPayment(books: Books, link: Link, status: Payment["status"]): Promise<void> {
  link.status = status;
  const subscription = books.subscriptions.find(({ id }) => id === link.id);
  if (subscription && status === "PAID") subscription.status = "AUTHORISED";
  await collect(books, link, link.amount, status);
}

async function collect(books: Books, link: Link, amount: number, status: Payment["status"]): Promise<void> {
  const payment: Payment = { id: randomUUID(), link, amount, status, refunded: 0 };
  books.payments.push(payment);
  await tell(books, `payment ${link.merchantReference} ${status}`, (changed) => {
    // Stitch's own books then have the other amount too.
    if (changed !== undefined) payment.amount = changed;
    const { id, type, merchantReference, id: linkId } = { ...link, id: link.id };
    return { id: payment.id, type, status, amount: String(payment.amount), merchantReference, linkId: linkId ?? id };
  });
}

/** Sends a message, signed by Svix, to the address that the merchant has registered. */
async function tell(
  { frame, notifyUrl }: Books,
  about: string,
  messageOf: (amount: number | undefined) => object,
): Promise<void> {
  const id = newGatewayId("msg_");
  if (notifyUrl === null) return;
  await frame.send({
    about,
    url: notifyUrl,
    compose: ({ amount }) => {
      const body = JSON.stringify(messageOf(amount));
      const time = Math.floor(Date.now() / 1000);
      const key = Buffer.from(CREDENTIALS.webhookSecret.slice("whsec_".length), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${time}.${body}`).digest("base64");
      const signed = { "svix-id": id, "svix-timestamp": String(time), "svix-signature": `v1,${signature}` };
      return { headers: { "content-type": "application/json", ...signed }, body };
    },
  });
}

/** A link that waits; one that is paid is known as its payment. */
function showLink({ links }: Books, _request: StandInRequest, id: string): StandInReply {
  const link = links.find((one) => one.id === id);
  if (!link) return no(404, "No such payment link");
  const { merchantReference, amount, status } = link;
  return ok({ payment: { id, status, amount: String(amount), merchantReference } });
}

function showPayment({ payments }: Books, _request: StandInRequest, id: string): StandInReply {
  const payment = payments.findLast((one) => one.id === id || (one.link.id === id && one.status === "PAID"));
  if (!payment) return no(404, "No such payment");
  const { link, amount, status } = payment;
  const fee = { id: randomUUID(), type: "PAYMENT_LINKS", amount: String(Math.round(amount * 0.03)) };
  const { type, merchantReference } = link;
  return ok({ payment: { id: payment.id, type, status, amount: String(amount), merchantReference, fee } });
}

function refund({ payments }: Books, { text }: StandInRequest, id: string): StandInReply {
  const { amount, reason } = JSON.parse(text);
  const payment = payments.find((one) => one.id === id);
  if (!payment) return no(404, "No such payment");
  if (!["DUPLICATE", "FRAUD", "REQUESTED_BY_CUSTOMER"].includes(reason)) return wrongField("reason", "is not known");
  if (!Number.isInteger(amount) || amount < 1 || amount > payment.amount - payment.refunded)
    return wrongField("amount", "is more than can be refunded");
  payment.refunded += amount;
  return ok({ refund: { id: randomUUID(), status: "PROCESSED", amount: String(amount) } });
}

function addRedirectUrl({ redirectUrls }: Books, { text }: StandInRequest): StandInReply {
  if (redirectUrls.length >= 5) return no(400, "At most 5 redirect URLs");
  redirectUrls.push(JSON.parse(text).redirectUrl);
  return ok({ redirectUrls });
}

function cancelSubscription({ subscriptions }: Books, _request: StandInRequest, id: string): StandInReply {
  const found = subscriptions.find((one) => one.id === id);
  if (!found) return no(404, "No such subscription");
  found.status = "CANCELLED";
  return ok({});
}
