import { z } from "zod";
import { centAmount } from "../amounts.ts";

/*
 * Stitch Express: JSON below `https://express.stitch.money/api/v1` with an access token of fifteen minutes; amounts in
 * cents, which answers write as text. Answers are `{success: true, data}` or
 * `{success: false, generalErrors, fieldErrors}`, the latter also with HTTP 200.
 */

const text = z.string().max(1000);
const id = text.min(1);

const cents = z.union([z.number(), text]).transform((value, ctx) => {
  const amount = centAmount(value);
  if (amount) return amount;
  ctx.addIssue("not an amount");
  return z.NEVER;
});

/** An answer with this as its data, or its refusal in words. */
export const answered = <Data>(data: z.ZodType<Data>) =>
  z.union([
    z.object({ success: z.literal(true).optional(), data }),
    z
      .object({ success: z.literal(false) })
      .and(ErrorAnswer)
      .transform((refused) => ({ data: null, reason: reasonOf(refused) ?? "Stitch gave no reason." })),
  ]);

/** The refusal in an answer. */
export const ErrorAnswer = z.object({
  generalErrors: z.array(z.unknown()).nullish(),
  fieldErrors: z.record(z.string(), z.unknown()).nullish(),
  message: text.nullish(),
});

/** The words of a refusal: of the whole, then of each field; null without any. */
export function reasonOf({ generalErrors, fieldErrors, message }: z.infer<typeof ErrorAnswer>): string | null {
  const fields = Object.entries(fieldErrors ?? {}).map(([name, error]) => `${name}: ${[error].flat().join(", ")}`);
  return [...(generalErrors ?? []), ...fields].map(String).join("; ") || message || null;
}

export const Token = z.object({ accessToken: id });

const url = z.url({ protocol: /^https?$/ });

/** A link, as `POST /payment-links` answers it. */
export const CreatedLink = z.object({ payment: z.object({ id, link: url }) });

/** A subscription, as `POST /subscriptions` answers it: at the top, or under its name. */
const CreatedSubscriptionFields = z.object({ id, url: url.optional(), link: url.optional() });
export const CreatedSubscription = z.union([
  CreatedSubscriptionFields,
  z.object({ subscription: CreatedSubscriptionFields }).transform(({ subscription }) => subscription),
]);

/** A payment, or a link that waits for one. */
const PaymentFields = z.object({
  id,
  status: text,
  type: text.nullish(),
  amount: cents,
  merchantReference: text.nullish(),
  payerEmailAddress: text.nullish(),
  fee: z.object({ amount: cents }).nullish().catch(null),
});
export type Payment = z.infer<typeof PaymentFields>;
export const FoundPayment = z.object({ payment: PaymentFields });

/** The subscriptions of the merchant. */
export const Subscriptions = z.object({
  subscriptions: z.array(z.object({ id, status: text, merchantReference: text.nullish() })).max(10_000),
});

/** A refund: at the top, or under its name. */
const RefundFields = z.object({ id: text.nullish(), status: text });
export const Refund = z.union([RefundFields, z.object({ refund: RefundFields }).transform(({ refund }) => refund)]);

/** The answer to an action that has no record of its own: any data. */
export const Anything = z.unknown();

/** The addresses that payers may return to. */
export const RedirectUrls = z.object({ redirectUrls: z.array(text).max(100) });

/** A message's body: a payment whose status has changed, or a refund. */
export const Notice = z.object({
  id,
  /** Of a refund: the payment that it gives back. */
  paymentId: text.nullish(),
  type: text.nullish(),
  status: text,
  amount: cents.nullish(),
  merchantReference: text.nullish(),
  linkId: text.nullish(),
});
export type Notice = z.infer<typeof Notice>;

/** What every message has. */
export const AnyNotice = z.object({ id, type: text.nullish().catch(null) });
