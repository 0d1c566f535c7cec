import { z } from "zod";
import type { Frequency } from "../../kernel/frequency.ts";

/*
 * PayFast's protocol (developers.payfast.co.za). Amounts are rand with two decimals in the payment form and in
 * notifications, and cents in the API. What could not be verified is listed in docs/gateways/payfast.md.
 */

/** Longest values of form fields, in characters. */
export const FIELD_MAX = { name: 100, email: 100, itemName: 100, itemDescription: 255, reference: 100 } as const;

/** `frequency` of the form and of the API. */
export const FREQUENCY_CODES: Readonly<Record<Frequency, string>> = {
  monthly: "3",
  quarterly: "4",
  biannually: "5",
  annually: "6",
};

/**
 * The addresses of notifications: the ranges that PayFast publishes, and those that it has named since, of which the
 * second are the same number in each network from 3.163.232 to 3.163.252 (docs/gateways/payfast.md).
 */
export const SOURCES: readonly string[] = [
  "197.97.145.144/28",
  "41.74.179.192/27",
  "102.216.36.0/28",
  "102.216.36.128/28",
  "144.126.193.139",
  "13.245.74.88",
  ...Array.from({ length: 21 }, (_, at) => `3.163.${232 + at}.237`),
];
/** Notifications also come from the addresses of these hosts. */
export const SOURCE_HOSTS: readonly string[] = [
  "www.payfast.co.za",
  "sandbox.payfast.co.za",
  "w1w.payfast.co.za",
  "w2w.payfast.co.za",
];

/** The number of cycles of a pause: the API has no pause without an end, and no pause lasts this long. */
export const PAUSE_CYCLES = 99;

/** Subscription status numbers. */
export const SUBSCRIPTION_KINDS: Readonly<Record<string, "active" | "past_due" | "paused" | "cancelled">> = {
  1: "active",
  2: "cancelled",
  3: "paused",
  4: "cancelled",
  5: "active",
  6: "past_due",
  7: "past_due",
};

const number = z.union([z.number(), z.string()]);

/** Every JSON answer. HTTP 200 with a `status` other than `success` is a failure. */
export const Envelope = z.object({
  code: number.optional(),
  status: z.string(),
  data: z.looseObject({ response: z.unknown(), message: z.unknown() }).partial().nullish(),
});
export type Envelope = z.infer<typeof Envelope>;

export const Subscription = z.object({
  token: z.string().nullish(),
  amount: number.nullish(),
  run_date: z.string().nullish(),
  status: number.nullish(),
  status_text: z.string().nullish(),
});
export type Subscription = z.infer<typeof Subscription>;

/** `data` of `POST /subscriptions/{token}/adhoc`. */
export const Charged = z.object({
  response: z.union([z.literal(true), z.literal("true"), z.object({ pf_payment_id: number.nullish() })]),
  pf_payment_id: number.nullish(),
});
export type Charged = z.infer<typeof Charged>;

/** `GET /process/query/{pf_payment_id}`. */
export const Process = z.object({ status: z.string(), amount: number, cc_message: z.string().nullish() });
export type Process = z.infer<typeof Process>;

/** `GET /refunds/query/{pf_payment_id}`. */
export const Refundable = z.object({
  amount_original: number.nullish(),
  amount_available_for_refund: number.nullish(),
  status: z.string(),
  refund_full: z.object({ method: z.string().nullish() }).nullish(),
  refund_partial: z.object({ method: z.string().nullish() }).nullish(),
});
export type Refundable = z.infer<typeof Refundable>;

/**
 * An entry of `GET /refunds/{pf_payment_id}`, the refunds so far: a list, or an object that holds one. PayFast
 * documents no fields of it but those that were sent.
 */
export const RefundEntry = z.object({ reason: z.string(), amount: number, status: z.string().nullish() });
export type RefundEntry = z.infer<typeof RefundEntry>;

/** The length of a refund's reason. */
export const REASON = { min: 3, max: 255 } as const;
