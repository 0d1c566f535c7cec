import { randomBytes } from "node:crypto";
import { apiKey, customerId, customersOf, invoiceId, linkId } from "./names.ts";

/* The requests of each kind of load, as text. Constant parts are built once. */

/** The kind of request; `mixed`: create or get at random. */
export type LoadKind =
  | "create"
  | "get"
  | "mixed"
  | "invoice-create"
  | "invoice-get"
  | "invoice-list"
  | "invoice-list-status"
  | "invoice-list-customer";

/** Parameters of the requests. */
export interface RequestOptions {
  readonly kind: LoadKind;
  /** Number of organisations; each request is of one of them, chosen at random. */
  readonly organisations: number;
  /** How many payment links of each organisation there are to get. */
  readonly links: number;
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

const upTo = (limit: number): number => Math.floor(Math.random() * limit);

const authorizations: string[] = [];
function authorization(organisation: number): string {
  authorizations[organisation] ??= `Authorization: Bearer ${apiKey(organisation)}`;
  return authorizations[organisation];
}

const post = (path: string, organisation: number, used: string, body: string): string =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: localhost\r\n${authorization(organisation)}\r\n` +
  `Content-Type: application/json\r\nIdempotency-Key: ${used}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const get = (path: string, organisation: number): string =>
  `GET /api/v1${path} HTTP/1.1\r\nHost: localhost\r\n${authorization(organisation)}\r\n\r\n`;

const anyCustomer = (organisation: number) => customerId(organisation, upTo(customersOf(organisation)));
const list =
  (filter: (organisation: number) => string): Make =>
  (organisation) =>
    get(`/invoices?limit=20${filter(organisation)}`, organisation);

const KINDS: Readonly<Record<LoadKind, Make>> = {
  create: (organisation, used) => post("/payment-links", organisation, used, LINK),
  get: (organisation, _used, { links }) => get(`/payment-links/${linkId(organisation, upTo(links))}`, organisation),
  mixed: (organisation, used, options) => KINDS[upTo(2) === 0 ? "create" : "get"](organisation, used, options),
  "invoice-create": (organisation, used) =>
    post("/invoices", organisation, used, `{"customerId":"${anyCustomer(organisation)}","lines":${LINES},"send":true}`),
  "invoice-get": (organisation) =>
    get(`/invoices/${invoiceId(organisation, upTo(customersOf(organisation)))}`, organisation),
  "invoice-list": list(() => ""),
  "invoice-list-status": list(() => "&status=partially_paid"),
  "invoice-list-customer": list((organisation) => `&customerId=${anyCustomer(organisation)}`),
};

/** Makes requests, one after the other. */
export function requests(options: RequestOptions): () => string {
  const run = randomBytes(12).toString("hex");
  const make = KINDS[options.kind];
  let made = 0;
  return () => make(1 + upTo(options.organisations), `${run}-${made++}`, options);
}
