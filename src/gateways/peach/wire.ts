import { z } from "zod";
import { randAmount } from "../amounts.ts";

/*
 * Peach Payments' protocol: Checkout v2 as JSON with an access token, refunds as signed forms, stored cards as forms
 * with a token of their own; amounts as rand text. Answers are objects with dotted names or with objects inside them,
 * by host and version: both are read as dotted names.
 */

const text = z.string().max(1000);
const id = text.min(1);

const rand = z.union([z.number(), text]).transform((value, ctx) => {
  const amount = randAmount(String(value));
  if (amount) return amount;
  ctx.addIssue("not an amount");
  return z.NEVER;
});

/** An object with those inside it under dotted names, such as `result.code`. Anything else as it is. */
export function dotted(value: unknown, prefix = "", depth = 0): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value) || depth > 5) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const below = dotted(inner, `${prefix}${name}.`, depth + 1);
      const isObject = typeof below === "object" && below !== null && !Array.isArray(below);
      return isObject ? Object.entries(below) : [[`${prefix}${name}`, below]];
    }),
  );
}

const flat = <Shape extends z.ZodRawShape>(shape: Shape) => z.preprocess((value) => dotted(value), z.object(shape));

/** The answer of the host that issues access tokens. */
export const Token = z.object({ access_token: id });

/** The answer of `POST /v2/checkout`. */
export const CreatedCheckout = z.object({ checkoutId: id, redirectUrl: z.url({ protocol: /^https?$/ }) });

/** A payment: the status of a checkout, the answer to a charge of a stored card, or one found by its id. */
export const Payment = flat({
  "result.code": text,
  "result.description": text.nullish(),
  id: text.nullish(),
  amount: rand.nullish(),
  currency: text.nullish(),
  merchantTransactionId: text.nullish(),
  paymentBrand: text.nullish(),
  registrationId: text.nullish(),
  "customer.email": text.nullish(),
  "card.bin": text.nullish(),
  "card.last4Digits": text.nullish(),
  "card.expiryMonth": text.nullish(),
  "card.expiryYear": text.nullish(),
  "card.holder": text.nullish(),
  schemeTransactionId: text.nullish(),
  cardholderInitiatedTransactionId: text.nullish(),
  "standingInstruction.initialTransactionId": text.nullish(),
});
export type Payment = z.infer<typeof Payment>;

/** The answer to a question for the payments of one `merchantTransactionId`. */
export const Payments = z.object({ payments: z.array(Payment).max(100) });

/** The answer of `POST /v1/checkout/refund`; with HTTP 200 also for a refund that was declined. */
export const Refund = flat({
  "result.code": text,
  "result.description": text.nullish(),
  id: text.nullish(),
});

/** A message: it names the record that has changed. */
export const Notice = z.object({
  checkoutId: id.nullish(),
  id: text.nullish(),
  paymentType: text.nullish(),
  /** Of a refund: the payment that it gives back. */
  referencedId: text.nullish(),
  merchantTransactionId: text.nullish(),
  currency: text.nullish(),
  amount: rand.nullish().catch(null),
  "result.code": text.nullish(),
  "result.description": text.nullish(),
});

/** A stored card: the registration to charge, and the payment with which the payer saved it. */
export const StoredCard = z.object({ registrationId: id, initialTransactionId: text.nullable() });

/** The reason in an answer of 4xx. */
export const ErrorAnswer = flat({
  "result.code": text.nullish(),
  "result.description": text.nullish(),
  message: text.nullish(),
  error: text.nullish(),
});
