import { createHmac } from "node:crypto";
import { json, newGatewayId, type StandInReply, type StandInRequest } from "../stand-in.ts";

/* What Stripe says and refuses, after docs.stripe.com and its published OpenAPI: form encoding, errors, idempotency, signature. */

export const SECRET_KEY = "sk_test_standin0123456789";
export const WEBHOOK_SECRET = "whsec_standin0123456789";

/** A JSON object. */
export type Shape = Readonly<Record<string, unknown>>;
/** Form fields by their flat names, such as `line_items[0][quantity]`. */
export type Fields = ReadonlyMap<string, string>;

/** An error; `more` is what the error object holds besides. */
export const failed = (status: number, type: string, message: string, more: Shape = {}): StandInReply =>
  json(status, { error: { type, message, ...more } });

export const invalid = (message: string, param?: string): StandInReply =>
  failed(400, "invalid_request_error", message, param ? { param } : {});

export const missing = (what: string): StandInReply =>
  failed(404, "invalid_request_error", `No such ${what}`, { code: "resource_missing" });

/** The refusal of a request without the merchant's key, a pinned version or a form; null when it may go on. */
export function fault({ method, headers, text }: StandInRequest): StandInReply | null {
  if (headers["authorization"] !== `Bearer ${SECRET_KEY}`)
    return failed(401, "invalid_request_error", "Invalid API Key provided: sk_****");
  if (!/^\d{4}-\d{2}-\d{2}(\.\w+)?$/.test(headers["stripe-version"] ?? ""))
    return invalid("Invalid Stripe API version");
  if (method === "POST" && text !== "" && headers["content-type"] !== "application/x-www-form-urlencoded")
    return invalid("Requests are form-encoded");
  return null;
}

/** Fields of a body or a query; null when a name comes twice. */
export function fieldsOf(pairs: URLSearchParams): Fields | null {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (fields.has(name)) return null;
    fields.set(name, value);
  }
  return fields;
}

/** The fields below a name: of `metadata`, those of `metadata[...]` by the name in brackets. */
export function below(fields: Fields, name: string): Record<string, string> {
  const start = `${name}[`;
  const found = [...fields].filter(([one]) => one.startsWith(start) && !one.slice(start.length, -1).includes("["));
  return Object.fromEntries(found.map(([one, value]) => [one.slice(start.length, -1), value]));
}

/** What is expanded: each path, and those that it begins with. */
export function expandedBy(fields: Fields): (path: string) => boolean {
  const paths = [...fields].filter(([name]) => name.startsWith("expand[")).map(([, path]) => path);
  return (path) => paths.some((one) => one === path || one.startsWith(`${path}.`));
}

/** Whole cents of at least 1; null otherwise. */
export const amountIn = (text: string | undefined): number | null =>
  /^[1-9]\d{0,9}$/.test(text ?? "") ? Number(text) : null;

export interface Line {
  readonly amount: number;
  readonly currency: string;
  readonly name: string;
  readonly months: number | null;
}

/** The lines of a session, or why they are refused. */
export function linesOf(fields: Fields): readonly Line[] | StandInReply {
  const lines: Line[] = [];
  for (let n = 0; fields.has(`line_items[${n}][quantity]`); n++) {
    const of = (name: string) => fields.get(`line_items[${n}]${name}`);
    const amount = amountIn(of("[price_data][unit_amount]"));
    const currency = of("[price_data][currency]") ?? "";
    const name = of("[price_data][product_data][name]") ?? "";
    const interval = of("[price_data][recurring][interval]");
    if (amount === null) return invalid("Invalid integer", `line_items[${n}][price_data][unit_amount]`);
    if (!/^[a-z]{3}$/.test(currency)) return invalid("Invalid currency", `line_items[${n}][price_data][currency]`);
    if (name === "" || [...name].length > 250)
      return invalid("Invalid name", `line_items[${n}][price_data][product_data][name]`);
    if (of("[quantity]") !== "1") return invalid("Invalid quantity", `line_items[${n}][quantity]`);
    const count = Number(of("[price_data][recurring][interval_count]") ?? "1");
    const months = interval === undefined ? null : ({ month: 1, year: 12 }[interval] ?? 0) * count;
    if (months !== null && !(Number.isInteger(months) && months > 0 && months <= 12))
      return invalid("Invalid interval");
    lines.push({ amount, currency, name, months });
  }
  return lines.length > 0 ? lines : invalid("You must pass line_items", "line_items");
}

/** Headers and body of a notification, signed by the machine's time, with a signature of a scheme that is of no use beside it. */
export function signed(event: Shape) {
  const body = JSON.stringify(event, null, 2);
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac("sha256", WEBHOOK_SECRET).update(`${t}.${body}`).digest("hex");
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "stripe-signature": `t=${t},v1=${v1},v0=${"0".repeat(64)}`,
  };
  return { headers, body };
}

const AMOUNTS = ["amount", "amount_total", "amount_received", "amount_paid"];

/** An event about an object, or about one of another amount. */
export const eventOf = (type: string, object: Shape, created: number, amount?: number): Shape => ({
  ...{ id: newGatewayId("evt_"), object: "event", api_version: "2024-06-20", created, type, livemode: false },
  data: {
    object: Object.fromEntries(
      Object.entries(object).map(([name, value]) => [
        name,
        amount !== undefined && AMOUNTS.includes(name) ? amount : value,
      ]),
    ),
  },
});

/** Seconds of a date. */
export const unix = (date: Date): number => Math.floor(date.getTime() / 1000);

/** A date some months on, on its last day when it has no such day. */
export function later(seconds: number, months: number): number {
  const from = new Date(seconds * 1000);
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate();
  const to = new Date(from);
  to.setUTCDate(1);
  to.setUTCMonth(from.getUTCMonth() + months);
  to.setUTCDate(Math.min(from.getUTCDate(), last));
  return unix(to);
}

/** A card that is declined on the page. */
export const DECLINED = "4000000000000002";
/** How charges of stored cards are declined. */
export const CHARGE_ERRORS: Readonly<Record<string, Shape>> = {
  declined: { code: "card_declined", decline_code: "insufficient_funds", message: "Your card has insufficient funds." },
  hard: { code: "card_declined", decline_code: "stolen_card", message: "Your card was declined." },
};
