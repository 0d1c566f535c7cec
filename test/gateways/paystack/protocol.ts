import { createHmac } from "node:crypto";
import { json, type StandInReply, type StandInRequest } from "../stand-in.ts";

/* What Paystack says and refuses, after paystack.com/docs: envelope, errors, checks of requests, signature. */

export const SECRET_KEY = "sk_test_standin0123456789";

/** A JSON object. */
export type Shape = Readonly<Record<string, unknown>>;

export const answered = (message: string, data?: unknown): StandInReply =>
  json(200, { status: true, message, ...(data === undefined ? {} : { data }) });

export const refused = (status: number, message: string, code: string): StandInReply =>
  json(status, {
    status: false,
    message,
    type: "validation_error",
    code,
    meta: { nextStep: "Look at the documentation" },
  });

/** The refusal of a request without the merchant's key, or whose body is no JSON; null when it may go on. */
export function fault({ method, headers, text }: StandInRequest): StandInReply | null {
  if (headers["authorization"] !== `Bearer ${SECRET_KEY}`) return refused(401, "Invalid key", "invalid_Key");
  if (method === "GET") return null;
  if (!/^application\/json/.test(headers["content-type"] ?? ""))
    return refused(400, "Body is not JSON", "invalid_params");
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? null
      : refused(400, "Body is not an object", "invalid_params");
  } catch {
    return refused(400, "Body is not JSON", "invalid_params");
  }
}

const CURRENCIES = ["ZAR", "NGN", "GHS", "KES", "USD"];
const CHANNELS = ["card", "eft", "capitec_pay", "qr", "apple_pay", "bank_transfer", "bank", "ussd", "mobile_money"];
export const INTERVALS: Readonly<Record<string, number>> = { monthly: 1, quarterly: 3, biannually: 6, annually: 12 };

/** Why the money of a request is refused. */
function moneyFault({ amount, currency }: Shape): string | null {
  if (!Number.isSafeInteger(amount)) return "Amount must be an integer in the subunit of the currency";
  if (!CURRENCIES.includes(String(currency))) return "Currency not supported by merchant";
  return currency === "ZAR" && Number(amount) < 100 ? "Minimum amount is R1.00" : null;
}

const isEmail = (value: unknown): boolean => typeof value === "string" && /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value);
const isUrl = (value: unknown): boolean => typeof value === "string" && /^https?:\/\//.test(value);

/** Why a payment is refused: fields of `initialize` and `charge_authorization`. */
export function paymentFault(body: Shape): string | null {
  const { email, reference, callback_url: back, channels } = body;
  if (!isEmail(email)) return "Invalid Email Address Passed";
  const money = moneyFault(body);
  if (money) return money;
  if (typeof reference !== "string" || !/^[A-Za-z0-9.=-]+$/.test(reference))
    return "Transaction reference contains invalid characters";
  if (back !== undefined && !isUrl(back)) return "callback_url is not a URL";
  if (channels !== undefined && !(Array.isArray(channels) && channels.every((one) => CHANNELS.includes(one))))
    return "Invalid channels";
  return null;
}

/** Why a plan is refused. */
export function planFault(body: Shape): string | null {
  const { name, interval } = body;
  if (typeof name !== "string" || name.trim() === "") return "Name is required";
  if (!Object.hasOwn(INTERVALS, String(interval))) return "Invalid interval";
  return moneyFault(body);
}

/** Headers and body of a notification. */
export function signed(event: string, data: Shape) {
  const body = JSON.stringify({ event, data });
  const signature = createHmac("sha512", SECRET_KEY).update(body).digest("hex");
  return { headers: { "content-type": "application/json", "x-paystack-signature": signature }, body };
}

/** A date some months on, at most the 28th, as Paystack collects. */
export function later(date: Date, months: number): Date {
  const day = Math.min(date.getUTCDate(), 28);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, day, 6));
}
