import { createHmac, randomBytes } from "node:crypto";
import {
  json,
  type OpenProtocol,
  pairsOf,
  randText,
  type StandInActs,
  type StandInFrame,
  type StandInPayment,
  type StandInProtocol,
  type StandInReply,
  type StandInRequest,
  UNKNOWN,
} from "../stand-in.ts";

const CREDENTIALS = {
  entityId: "8ac7a4c7a1b2c3d4e5f60718293a4b5c",
  clientId: "c3e5374856a3334f2dfe1451d36f3a",
  clientSecret: "aonSYINF2PxLB0EUBeXPIRxYRTNhYb17",
  merchantId: "9f6ea39b121d11e89d9774d4352a31d1",
  secretToken: "2fbe3d1f9c0a4c7e8f6b5a4d3c2b1a09",
  recurringEntityId: "8ac7a4c9f0e1d2c3b4a5968778695a4b",
  recurringAccessToken: "OGFjN2E0Yzl8c2VjcmV0LW9mLXJlY3VycmluZw==",
};

/** Peach Payments' Checkout v2, refunds and stored cards. */
export const standIn: StandInProtocol = {
  type: "peach",
  credentials: CREDENTIALS,
  wrongCredentials: { ...CREDENTIALS, clientSecret: "not-the-secret" },
  refundCall: "POST /v1/checkout/refund",
  open,
};

/** The field of the payer's page; a card that ends so is declined when it is charged later. */
const CARD = "4200000000000042";

interface Payment {
  readonly id: string;
  readonly merchantTransactionId: string;
  readonly checkoutId: string | null;
  readonly registrationId: string | null;
  /** Whole cents. */
  amount: number;
  readonly currency: string;
  readonly card: string;
  code: string;
  refunded: number;
}

interface Checkout {
  readonly id: string;
  readonly merchantTransactionId: string;
  readonly amount: number;
  readonly currency: string;
  readonly returnUrl: string;
  readonly notifyUrl: string | undefined;
  readonly createRegistration: boolean;
  payment: Payment | null;
}

/** What the gateway keeps. */
interface Books {
  readonly frame: StandInFrame;
  readonly tokens: Set<string>;
  readonly nonces: Set<string>;
  readonly checkouts: Checkout[];
  readonly payments: Payment[];
  readonly registrations: Map<string, { readonly card: string; readonly initial: string }>;
  next: Parameters<NonNullable<StandInActs["nextCharges"]>>[0];
}

const newId = (): string => randomBytes(16).toString("hex");
const result = (code: string, description: string) => ({ "result.code": code, "result.description": description });
const PAID = "000.100.110";
const PENDING = "000.200.000";
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  [PAID]: "Request successfully processed",
  [PENDING]: "transaction pending",
  "100.396.101": "Cancelled by user",
  "800.100.155": "transaction declined (amount exceeds credit)",
  "800.100.159": "transaction declined (stolen card)",
};

const signatureOf = (fields: Readonly<Record<string, string>>): string => {
  const text = Object.entries(fields)
    .filter(([name]) => name !== "signature")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => name + value)
    .join("");
  return createHmac("sha256", CREDENTIALS.secretToken).update(text).digest("hex");
};

function open(frame: StandInFrame): OpenProtocol {
  const books: Books = {
    ...{ frame, tokens: new Set(), nonces: new Set(), checkouts: [], payments: [], registrations: new Map() },
    next: "paid",
  };
  return {
    answer: (request) => answer(books, request),
    payments: () => books.payments.map(shownInBooks),
    acts: {
      nextCharges(outcome) {
        books.next = outcome;
      },
    },
  };
}

/** The reference of the merchant, whose short form Peach keeps. */
function shownInBooks({ merchantTransactionId: short, code, amount, refunded }: Payment): StandInPayment {
  const reference = /^\d{8}[0-9A-F]{8}$/.test(short)
    ? `TEFO-${short.slice(0, 8)}-${short.slice(8)}`
    : `TEFOC-${short}-1`;
  const status =
    code === PAID ? "paid" : code === PENDING ? "pending" : code === "100.396.101" ? "cancelled" : "failed";
  return { reference, status, amount, refunded };
}

const ROUTES: readonly (readonly [
  string,
  RegExp,
  (books: Books, request: StandInRequest, id: string) => StandInReply,
])[] = [
  ["POST", /^\/api\/oauth\/token$/, issueToken],
  ["POST", /^\/v2\/checkout$/, createCheckout],
  ["GET", /^\/v2\/checkout\/([0-9a-f]{32})\/status$/, statusOf],
  ["POST", /^\/v1\/checkout\/refund$/, refund],
  ["POST", /^\/v1\/registrations\/([0-9a-f]{32})\/payments$/, charge],
  ["GET", /^\/v1\/payments$/, findCharges],
];

function answer(books: Books, request: StandInRequest): StandInReply {
  for (const [method, path, route] of ROUTES) {
    const [whole, id = ""] = path.exec(request.path) ?? [];
    if (whole !== undefined && method === request.method) return route(books, request, id);
  }
  return UNKNOWN;
}

function issueToken({ tokens }: Books, { text }: StandInRequest): StandInReply {
  const { clientId, clientSecret, merchantId } = JSON.parse(text);
  if (
    clientId !== CREDENTIALS.clientId ||
    clientSecret !== CREDENTIALS.clientSecret ||
    merchantId !== CREDENTIALS.merchantId
  )
    return json(401, { message: "Invalid client credentials" });
  const access_token = newId();
  tokens.add(access_token);
  return json(200, { access_token, expires_in: "3600", token_type: "Bearer" });
}

const hasToken = ({ tokens }: Books, { headers }: StandInRequest): boolean =>
  tokens.has(String(headers["authorization"]).replace(/^Bearer /, ""));

const fault = (description: string) => json(400, { result: { code: "200.300.404", description } });

function createCheckout(books: Books, request: StandInRequest): StandInReply {
  if (!hasToken(books, request)) return json(401, { message: "Unauthorized" });
  const { origin, referer } = request.headers;
  if (!origin || origin.endsWith("/") || referer !== `${origin}/`)
    return json(403, { message: "The domain is not allowed" });
  const body = JSON.parse(request.text);
  const { merchantTransactionId, amount, currency, nonce, shopperResultUrl, notificationUrl, createRegistration } =
    body;
  if (body.authentication?.entityId !== CREDENTIALS.entityId) return fault("authentication.entityId is not known");
  if (!/^[A-Za-z0-9]{8,16}$/.test(merchantTransactionId))
    return fault("merchantTransactionId must have 8 to 16 letters and digits");
  if (!/^\d{1,10}\.\d{2}$/.test(amount)) return fault("amount must be text with two decimals");
  if (!["ZAR", "KES", "MUR", "USD", "GBP", "EUR"].includes(currency)) return fault("currency is not taken");
  if (typeof nonce !== "string" || books.nonces.has(nonce)) return fault("nonce must be new");
  if (!URL.canParse(String(shopperResultUrl))) return fault("shopperResultUrl is not an address");
  for (const name of ["givenName", "surname"])
    if ([...(body.customer?.[name] ?? "")].length > 48) return fault(`customer.${name} is too long`);
  books.nonces.add(nonce);
  const checkout: Checkout = {
    ...{ id: newId(), merchantTransactionId, currency, returnUrl: shopperResultUrl, notifyUrl: notificationUrl },
    ...{ amount: Math.round(Number(amount) * 100), createRegistration: createRegistration === true, payment: null },
  };
  books.checkouts.push(checkout);
  const redirectUrl = books.frame.payerUrl({
    title: "Peach Payments",
    lines: [`${currency} ${amount}`, merchantTransactionId],
    outcomes: { paid: "Pay", failed: "Be declined", cancelled: "Cancel", pending: "Leave it undecided" },
    fields: { card: CARD },
    decide: (outcome, { card = CARD }) => decided(books, checkout, outcome, card),
  });
  return json(200, { checkoutId: checkout.id, redirectUrl });
}

async function decided(books: Books, checkout: Checkout, outcome: string, card: string): Promise<string> {
  if (checkout.payment?.code === PAID) return checkout.returnUrl;
  const codes: Readonly<Record<string, string>> = { paid: PAID, failed: "800.100.155", cancelled: "100.396.101" };
  const registrationId = checkout.createRegistration && outcome === "paid" ? newId() : null;
  const { id: checkoutId, merchantTransactionId, amount, currency } = checkout;
  const payment: Payment = {
    ...{ id: newId(), merchantTransactionId, checkoutId, registrationId, amount, currency, card },
    ...{ code: codes[outcome] ?? PENDING, refunded: 0 },
  };
  if (registrationId) books.registrations.set(registrationId, { card, initial: payment.id });
  checkout.payment = payment;
  books.payments.push(payment);
  const { notifyUrl } = checkout;
  if (notifyUrl)
    await books.frame.send({
      about: `payment ${merchantTransactionId} ${payment.code}`,
      url: notifyUrl,
      compose: (changed) => {
        // Peach's own books then have the other amount too.
        if (changed.amount !== undefined) payment.amount = changed.amount;
        const fields = { ...shown(payment), "authentication.entityId": CREDENTIALS.entityId, "customer.phone": "" };
        const body = new URLSearchParams({ ...fields, signature: signatureOf(fields) }).toString();
        return { headers: { "content-type": "application/x-www-form-urlencoded" }, body };
      },
    });
  return checkout.returnUrl;
}

const BRANDS: Readonly<Record<string, string>> = { "4": "VISA", "5": "MASTER", "3": "AMEX" };

/** A payment in flat names, as text. */
const shown = (payment: Payment): Record<string, string> => ({
  id: payment.id,
  ...(payment.checkoutId ? { checkoutId: payment.checkoutId } : {}),
  ...(payment.registrationId ? { registrationId: payment.registrationId } : {}),
  merchantTransactionId: payment.merchantTransactionId,
  amount: randText(payment.amount),
  currency: payment.currency,
  paymentType: "DB",
  paymentBrand: BRANDS[payment.card[0] ?? ""] ?? "CARD",
  "card.bin": payment.card.slice(0, 6),
  "card.last4Digits": payment.card.slice(-4),
  "card.expiryMonth": "08",
  "card.expiryYear": "2034",
  "card.holder": "N Ngcobo",
  ...result(payment.code, DESCRIPTIONS[payment.code] ?? "declined"),
});

function statusOf(books: Books, request: StandInRequest, id: string): StandInReply {
  if (!hasToken(books, request)) return json(401, { message: "Unauthorized" });
  const checkout = books.checkouts.find((one) => one.id === id);
  if (!checkout) return json(404, { message: "No payment session found" });
  const { merchantTransactionId, amount, currency, payment } = checkout;
  const waiting = { ...result("000.200.100", "successfully created checkout"), merchantTransactionId };
  return json(200, payment ? shown(payment) : { ...waiting, amount: randText(amount), currency });
}

function refund(books: Books, { text, headers }: StandInRequest): StandInReply {
  if (!headers["content-type"]?.startsWith("application/x-www-form-urlencoded")) return fault("a form is expected");
  const fields = Object.fromEntries(pairsOf(text));
  if (fields["signature"] !== signatureOf(fields)) return fault("signature is not valid");
  if (fields["authentication.entityId"] !== CREDENTIALS.entityId || fields["paymentType"] !== "RF")
    return fault("entity or type is not valid");
  const payment = books.payments.find(({ id }) => id === fields["id"]);
  const size = Math.round(Number(fields["amount"]) * 100);
  const declined = (description: string) => json(200, { id: newId(), ...result("700.400.200", description) });
  if (payment?.code !== PAID || fields["currency"] !== payment.currency) return declined("cannot refund (wrong type)");
  if (!/^\d+\.\d{2}$/.test(fields["amount"] ?? "") || size > payment.amount - payment.refunded)
    return declined("cannot refund (refund volume exceeded)");
  payment.refunded += size;
  return json(200, { id: newId(), ...result(PAID, "Request successfully processed"), amount: fields["amount"] });
}

function charge(books: Books, { text, headers }: StandInRequest, registrationId: string): StandInReply {
  if (headers["authorization"] !== `Bearer ${CREDENTIALS.recurringAccessToken}`)
    return json(401, { result: { code: "800.900.300", description: "invalid authentication information" } });
  const fields = Object.fromEntries(pairsOf(text));
  const registration = books.registrations.get(registrationId);
  const instruction = ["source", "mode", "type", "initialTransactionId"].map(
    (name) => fields[`standingInstruction.${name}`],
  );
  if (fields["entityId"] !== CREDENTIALS.recurringEntityId || !registration)
    return json(400, { result: { code: "100.150.200", description: "registration does not exist" } });
  if (
    !/^[A-Za-z0-9]{8,16}$/.test(fields["merchantTransactionId"] ?? "") ||
    !/^\d+\.\d{2}$/.test(fields["amount"] ?? "")
  )
    return fault("a field is not valid");
  if (String(instruction) !== String(["MIT", "REPEATED", "UNSCHEDULED", registration.initial]))
    return fault("standingInstruction is not valid");
  const codes = { paid: PAID, unclear: PAID, declined: "800.100.155", hard: "800.100.159" };
  const payment: Payment = {
    ...{
      id: newId(),
      merchantTransactionId: fields["merchantTransactionId"] ?? "",
      checkoutId: null,
      registrationId: null,
    },
    ...{
      amount: Math.round(Number(fields["amount"]) * 100),
      currency: fields["currency"] ?? "",
      card: registration.card,
    },
    ...{ code: codes[books.next], refunded: 0 },
  };
  books.payments.push(payment);
  if (books.next === "unclear") return json(500, {});
  return json(payment.code === PAID ? 200 : 400, nested(payment));
}

/** The card host writes objects inside objects. */
const nested = (payment: Payment) => ({
  id: payment.id,
  merchantTransactionId: payment.merchantTransactionId,
  amount: randText(payment.amount),
  currency: payment.currency,
  paymentType: "DB",
  result: { code: payment.code, description: DESCRIPTIONS[payment.code] ?? "declined" },
});

function findCharges(books: Books, { query, headers }: StandInRequest): StandInReply {
  if (headers["authorization"] !== `Bearer ${CREDENTIALS.recurringAccessToken}`)
    return json(401, { message: "Unauthorized" });
  const found = books.payments.filter(
    ({ merchantTransactionId, checkoutId }) =>
      checkoutId === null && merchantTransactionId === query.get("merchantTransactionId"),
  );
  if (query.get("entityId") !== CREDENTIALS.recurringEntityId || found.length === 0)
    return json(400, { result: { code: "700.400.580", description: "cannot find transaction" } });
  return json(200, { result: { code: "000.000.100", description: "successful request" }, payments: found.map(nested) });
}
