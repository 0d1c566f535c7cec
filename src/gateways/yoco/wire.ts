import { z } from "zod";
import { centAmount } from "../amounts.ts";

/*
 * Yoco's protocol: JSON below `https://payments.yoco.com/api`, authenticated by the secret key; amounts in cents;
 * creates and refunds de-duplicated by the header `Idempotency-Key`; messages signed by Standard Webhooks.
 */

const text = z.string().max(1000);
const id = text.min(1);

const cents = z.union([z.number(), text]).transform((value, ctx) => {
  const amount = centAmount(value);
  if (amount) return amount;
  ctx.addIssue("not an amount");
  return z.NEVER;
});

/** `live` or `test`: of the key that made it. */
const mode = text.nullish();

/** The answer of `POST /checkouts`. */
export const CreatedCheckout = z.object({
  id,
  redirectUrl: z.url({ protocol: /^https?$/ }),
  processingMode: mode,
});

/** The answer of `GET /checkouts/{id}`. */
export const Checkout = z.object({
  id: id.nullish(),
  status: text,
  paymentId: text.nullish(),
  externalId: text.nullish(),
  amount: cents.nullish(),
  currency: text.nullish(),
  processingMode: mode,
});
export type Checkout = z.infer<typeof Checkout>;

/** The answer of `POST /checkouts/{id}/refund`. */
export const Refund = z.object({ refundId: id, status: text, message: text.nullish() });

/** The answer of `GET /webhooks`. */
export const Webhooks = z.object({ subscriptions: z.array(z.object({ id, url: text, mode })).max(1000) });

/** The answer of `POST /webhooks`: `secret` is shown this once. */
export const CreatedWebhook = z.object({ id, secret: z.string().min(1).max(400) });

/** The answer of `DELETE /webhooks/{id}`, whatever it says. */
export const Anything = z.unknown();

/** What comes back of ours. */
const metadata = z.object({ checkoutId: text.nullish(), reference: text.nullish(), refundId: text.nullish() });

const Payment = z.object({
  id,
  amount: cents,
  currency: text,
  mode,
  failureReason: text.nullish(),
  metadata: metadata.nullish(),
});
export type Payment = z.infer<typeof Payment>;

const RefundPayload = z.object({
  id,
  /** The payment that it gives back. */
  paymentId: text.nullish(),
  amount: cents,
  currency: text.nullish(),
  mode,
  failureReason: text.nullish(),
  metadata: metadata.nullish(),
});
export type RefundPayload = z.infer<typeof RefundPayload>;

/** A message's body. One of another type needs no action. */
export const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("payment.succeeded"), createdDate: text.nullish(), payload: Payment }),
  z.object({ type: z.literal("payment.failed"), createdDate: text.nullish(), payload: Payment }),
  z.object({ type: z.literal("refund.succeeded"), createdDate: text.nullish(), payload: RefundPayload }),
  z.object({ type: z.literal("refund.failed"), createdDate: text.nullish(), payload: RefundPayload }),
]);
export type Event = z.infer<typeof Event>;

/** What every message has. */
export const AnyEvent = z.object({ type: text });

/** The reason in an answer of 4xx. */
export const ErrorAnswer = z.object({
  description: text.nullish(),
  message: text.nullish(),
  errorMessage: text.nullish(),
});
