import { randomBytes } from "node:crypto";
import { signedHeaders } from "../src/gateways/sandbox/signing.ts";
import type { Notification } from "../src/gateways/sandbox/wire.ts";
import {
  apiKey,
  CARDHOLDERS,
  cardId,
  checkoutPath,
  customerId,
  customersOf,
  GATEWAY_SECRET,
  gatewayAccountId,
  invoiceId,
  linkId,
  ORGANISATIONS,
  PAYMENTS,
  PLAN_ID,
  paymentReference,
  SUBSCRIBERS,
  subscriptionId,
} from "./names.ts";

/* The requests of each kind of load, as text. Constant parts are built once. */

/** Usage events of one request. */
export const EVENTS_IN_BATCH = 1000;

/** The kind of request; `mixed`: create or get at random. */
export type LoadKind =
  | "create"
  | "get"
  | "mixed"
  | "invoice-create"
  | "invoice-get"
  | "invoice-list"
  | "invoice-list-status"
  | "invoice-list-customer"
  | "card-charge"
  | "subscription-create"
  | "subscription-preview"
  | "usage-events"
  | "checkout-page"
  | "notification";

/** Parameters of the requests. */
export interface RequestOptions {
  readonly kind: LoadKind;
  /** Number of organisations; each request is of one of them, chosen at random. */
  readonly organisations: number;
  /** How many payment links of each organisation there are to get. */
  readonly links: number;
  /** The merchant of the requests, with its customers; it replaces the organisations. */
  readonly merchant?: { readonly apiKey: string; readonly customers: readonly string[] };
}

/** Builds a request of this organisation; `used` is unique within the run. */
type Make = (organisation: number, used: string, options: RequestOptions) => string;

const LINK = JSON.stringify({
  title: "Order 1001",
  amount: 149.5,
  externalReference: "order-1001",
  metadata: { cart: "abc" },
});
const LINES = JSON.stringify([
  { description: "Monthly plan", quantity: 1, unitPrice: 500, taxRate: 15 },
  { description: "Extra seats", quantity: 3, unitPrice: 99.9, taxRate: 15 },
  { description: "School books, zero-rated", quantity: 1, unitPrice: 250, taxRate: 0 },
]);

const ADDON = JSON.stringify([{ kind: "addon", description: "Extra seat", unitAmount: 99.9, quantity: 3 }]);

const upTo = (limit: number): number => Math.floor(Math.random() * limit);

const authorizations: string[] = [];
function authorization(organisation: number, { merchant }: RequestOptions): string {
  authorizations[organisation] ??= `Authorization: Bearer ${merchant?.apiKey ?? apiKey(organisation)}`;
  return authorizations[organisation];
}

const post = (path: string, caller: string, used: string, body: string): string =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: localhost\r\n${caller}\r\n` +
  `Content-Type: application/json\r\nIdempotency-Key: ${used}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const get = (path: string, caller: string): string =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: localhost\r\n${caller}\r\n\r\n`;

const anyCustomer = (organisation: number, { merchant }: RequestOptions) =>
  merchant?.customers[upTo(merchant.customers.length)] ?? customerId(organisation, upTo(customersOf(organisation)));
const list =
  (filter: (organisation: number, options: RequestOptions) => string): Make =>
  (organisation, _used, options) =>
    get(`/invoices?limit=20${filter(organisation, options)}`, authorization(organisation, options));

const KINDS: Readonly<Record<LoadKind, Make>> = {
  create: (organisation, used, options) => post("/payment-links", authorization(organisation, options), used, LINK),
  get: (organisation, _used, options) =>
    get(`/payment-links/${linkId(organisation, upTo(options.links))}`, authorization(organisation, options)),
  mixed: (organisation, used, options) => KINDS[upTo(2) === 0 ? "create" : "get"](organisation, used, options),
  "invoice-create": (organisation, used, options) => {
    const body = `{"customerId":"${anyCustomer(organisation, options)}","lines":${LINES},"send":true}`;
    return post("/invoices", authorization(organisation, options), used, body);
  },
  "invoice-get": (organisation, _used, options) =>
    get(`/invoices/${invoiceId(organisation, upTo(customersOf(organisation)))}`, authorization(organisation, options)),
  "invoice-list": list(() => ""),
  "invoice-list-status": list(() => "&status=partially_paid"),
  "invoice-list-customer": list((organisation, options) => `&customerId=${anyCustomer(organisation, options)}`),
  "card-charge": (organisation, used, options) => {
    const customer = upTo(CARDHOLDERS);
    const path = `/customers/${customerId(organisation, customer)}/cards/${cardId(organisation, customer)}/charges`;
    const body = `{"amount":149.5,"description":"Monthly plan","externalReference":"${used}"}`;
    return post(path, authorization(organisation, options), used, body);
  },
  "subscription-create": (organisation, used, options) => {
    const customer = customerId(organisation, upTo(SUBSCRIBERS));
    const body = `{"customer":{"id":"${customer}"},"planId":"${PLAN_ID}","collectionMethod":"invoice","items":${ADDON}}`;
    return post("/customer-subscriptions", authorization(organisation, options), used, body);
  },
  "subscription-preview": (organisation, used, options) => {
    const id = subscriptionId("p0", ORGANISATIONS * upTo(SUBSCRIBERS) + organisation - 1);
    const body = `{"quantity":${2 + upTo(8)},"proration":"now"}`;
    return post(`/customer-subscriptions/${id}/preview-change`, authorization(organisation, options), used, body);
  },
  "usage-events": (organisation, used, options) => {
    const event = (_: unknown, place: number) =>
      `{"id":"${used}-${place}","subscriptionId":"${subscriptionId("u0", ORGANISATIONS * upTo(SUBSCRIBERS) + organisation - 1)}",` +
      `"item":"calls","quantity":${1 + upTo(9)},"properties":{"path":"/search"}}`;
    const body = `{"events":[${Array.from({ length: EVENTS_IN_BATCH }, event).join(",")}]}`;
    return post("/usage-events", authorization(organisation, options), used, body);
  },
  "checkout-page": (organisation) =>
    `GET ${checkoutPath(organisation)} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n`,
  notification: nextNotification,
};

/** The sandbox gateway's notification of a paid payment. */
function notification(organisation: number, payment: number): string {
  const reference = paymentReference(organisation, payment);
  const told: Notification = {
    id: `sbn_${reference}`,
    merchantId: "bench",
    type: "payment",
    payment: {
      id: `sbp_${reference}`,
      reference,
      status: "complete",
      amount: 14_950,
      currency: "ZAR",
      fee: 448,
      payerEmail: "payer@bench.example",
      card: null,
      decline: null,
      subscription: null,
      occurredAt: new Date().toISOString(),
    },
  };
  const body = JSON.stringify(told);
  const headers = Object.entries(signedHeaders(GATEWAY_SECRET, body, new Date())).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return (
    `POST /api/webhooks/sandbox?account=${gatewayAccountId(organisation)} HTTP/1.1\r\nHost: localhost\r\n${headers.join("")}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}

/** Payments that were reported, in all rounds together. */
let reported = 0;

/** Each payment is reported once, those of all organisations in turn. */
function nextNotification(): string {
  const number = reported++;
  if (number >= ORGANISATIONS * PAYMENTS) throw new Error("there are too few pending payments: raise PAYMENTS");
  return notification(1 + (number % ORGANISATIONS), Math.floor(number / ORGANISATIONS));
}

/** Makes requests, one after the other. */
export function requests(options: RequestOptions): () => string {
  const run = randomBytes(12).toString("hex");
  authorizations.length = 0;
  const make = KINDS[options.kind];
  let made = 0;
  return () => make(1 + upTo(options.organisations), `${run}-${made++}`, options);
}
