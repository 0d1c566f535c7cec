import { createHash } from "node:crypto";
import { pairsOf, type StandInRequest } from "../stand-in.ts";

/* PayFast's signatures and the rules of its form, as its documentation and its SDK have them. */

/** The public merchant of the sandbox. */
export const CREDENTIALS = { merchantId: "10000100", merchantKey: "46f0cd694581a", passphrase: "jt7NOE43FZPn" };

const ORDER = [
  ...["merchant_id", "merchant_key", "return_url", "cancel_url", "notify_url"],
  ...[
    "name_first",
    "name_last",
    "email_address",
    "cell_number",
    "m_payment_id",
    "amount",
    "item_name",
    "item_description",
  ],
  ...[1, 2, 3, 4, 5].map((n) => `custom_int${n}`),
  ...[1, 2, 3, 4, 5].map((n) => `custom_str${n}`),
  ...["email_confirmation", "confirmation_address", "payment_method"],
  ...["subscription_type", "billing_date", "recurring_amount", "frequency", "cycles"],
  ...["subscription_notify_email", "subscription_notify_webhook", "subscription_notify_buyer", "signature"],
];
const LENGTHS: Record<string, number> = {
  ...{ name_first: 100, name_last: 100, email_address: 100, m_payment_id: 100, item_name: 100, item_description: 255 },
  ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`custom_str${n}`, 255])),
};

/** PHP's urlencode, byte by byte. */
function urlencode(text: string): string {
  let encoded = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const character = String.fromCharCode(byte);
    if (/[A-Za-z0-9_.-]/.test(character)) encoded += character;
    else encoded += byte === 0x20 ? "+" : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

const md5 = (text: string): string => createHash("md5").update(text).digest("hex");
const paramString = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([name, value]) => `${name}=${urlencode(value)}`).join("&");
const PASSPHRASE = `&passphrase=${urlencode(CREDENTIALS.passphrase)}`;

/** Why the payment form is not taken; null when it is. */
export function formFault(pairs: readonly [string, string][]): string | null {
  const names = pairs.map(([name]) => name);
  const fields = new Map(pairs);
  const unknown = names.find((name) => !ORDER.includes(name));
  if (unknown) return `${unknown} is no field.`;
  if (new Set(names).size < names.length) return "A field comes twice.";
  if (names.some((name, at) => at > 0 && ORDER.indexOf(name) < ORDER.indexOf(names[at - 1] ?? "")))
    return "The fields are out of order.";
  if (fields.get("merchant_id") !== CREDENTIALS.merchantId || fields.get("merchant_key") !== CREDENTIALS.merchantKey)
    return "Merchant unknown.";
  for (const [name, value] of pairs) {
    if (value !== value.trim() || value === "") return `${name} is not trimmed, or blank.`;
    if ([...value].length > (LENGTHS[name] ?? 2000)) return `${name} is too long.`;
  }
  const signed = pairs.filter(([name]) => name !== "signature");
  if (fields.get("signature") !== md5(paramString(signed) + PASSPHRASE))
    return "Generated signature does not match submitted signature.";
  if (!fields.get("item_name")) return "item_name is required.";
  const amount = fields.get("amount") ?? "";
  if (!/^\d+\.\d\d$/.test(amount)) return "amount is not in rand.";
  const [type = ""] = [fields.get("subscription_type")];
  const recurring = type === "1";
  if (!["", "1", "2"].includes(type)) return "subscription_type must be 1 or 2.";
  if (Number(amount) === 0 && !recurring) return "The amount is below R0.01.";
  const terms = ["billing_date", "recurring_amount", "frequency", "cycles"].find((name) => fields.has(name));
  if (!recurring) return terms ? `${terms} is of subscriptions.` : null;
  if (!/^[3-6]$/.test(fields.get("frequency") ?? "")) return "frequency must be 3 to 6.";
  if (!/^\d+$/.test(fields.get("cycles") ?? "")) return "cycles is required.";
  return /^\d{4}-\d\d-\d\d$/.test(fields.get("billing_date") ?? "2000-01-01") ? null : "billing_date is no date.";
}

/** Why an API call is not taken; null when it is. */
export function apiFault({ headers, query, text }: StandInRequest): string | null {
  if (headers["merchant-id"] !== CREDENTIALS.merchantId) return "Merchant unknown.";
  if (headers["version"] !== "v1") return "version must be v1.";
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([+-]\d\d:\d\d)?$/.test(headers["timestamp"] ?? ""))
    return "timestamp is wrong.";
  const body: [string, string][] = text.startsWith("{")
    ? Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, String(value)])
    : pairsOf(text);
  const values: [string, string][] = [
    ["merchant-id", headers["merchant-id"]],
    ["version", headers["version"]],
    ["timestamp", headers["timestamp"] ?? ""],
    ...[...query].filter(([name]) => name !== "testing"),
    ...body,
    ["passphrase", CREDENTIALS.passphrase],
  ];
  values.sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return headers["signature"] === md5(paramString(values)) ? null : "Merchant authorisation failed.";
}

/** Why a charge at will is not taken; null when it is. */
export function adhocFault(body: Readonly<Record<string, unknown>>): string | null {
  const known = ["amount", "item_name", "item_description", "m_payment_id", "itn", "cc_cvv", "setup"];
  const unknown = Object.keys(body).find((name) => !known.includes(name));
  if (unknown) return `${unknown} is no field.`;
  const { amount, item_name: name, m_payment_id: reference = "" } = body;
  if (!Number.isInteger(amount) || Number(amount) < 1) return "amount must be cents";
  if (typeof name !== "string" || name.trim() === "" || [...name].length > 100) return "item_name is required";
  return [...String(reference)].length > 100 ? "m_payment_id is too long" : null;
}

/** A notification: `text` is what the merchant asks about, `body` what is sent. Blank fields are there, and signed. */
export function itnBody(
  form: ReadonlyMap<string, string>,
  about: {
    readonly pfPaymentId: string;
    readonly status: string;
    readonly money: Readonly<Record<string, string>>;
    readonly token: string | null;
    readonly tokenSecond: boolean;
  },
): { readonly text: string; readonly body: string } {
  const { pfPaymentId, status, money, token, tokenSecond } = about;
  const of = (name: string): [string, string] => [name, form.get(name) ?? ""];
  const pairs: [string, string][] = [
    of("m_payment_id"),
    ...(token && tokenSecond ? ([["token", token]] as [string, string][]) : []),
    ["pf_payment_id", pfPaymentId],
    ["payment_status", status],
    of("item_name"),
    of("item_description"),
    ...Object.entries(money),
    ...[1, 2, 3, 4, 5].map((n) => of(`custom_str${n}`)),
    ...[1, 2, 3, 4, 5].map((n) => of(`custom_int${n}`)),
    of("name_first"),
    of("name_last"),
    of("email_address"),
    of("merchant_id"),
    ...(token && !tokenSecond ? ([["token", token], of("billing_date")] as [string, string][]) : []),
  ];
  const text = paramString(pairs);
  // On the wire a space may be %20, and escapes lower-case.
  const wire = text.replaceAll("+", "%20").replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase());
  return { text, body: `${wire}&signature=${md5(text + PASSPHRASE)}` };
}
