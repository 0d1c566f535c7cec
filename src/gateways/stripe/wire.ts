import { z } from "zod";
import { isStorable } from "../../kernel/text.ts";
import { centAmount, type ReportedAmount } from "../amounts.ts";

/**
 * Stripe's protocol as this service uses it: form-encoded requests under `/v1`, JSON answers, amounts in whole cents,
 * currencies in lower case, times in seconds. An expandable field is an id, or the object when the request expands it.
 *
 * | method and path | answer |
 * | --- | --- |
 * | `POST /checkout/sessions`, `GET /checkout/sessions/{id}` | `Session` |
 * | `POST /payment_intents`, `GET /payment_intents/{id}`, `GET /payment_intents/search` | `PaymentIntent`, list of them |
 * | `GET /invoices/{id}` | `Invoice` |
 * | `GET`, `POST`, `DELETE /subscriptions/{id}` | `Subscription` |
 * | `GET`, `POST /webhook_endpoints`, `DELETE /webhook_endpoints/{id}` | list of `Endpoint`, `CreatedEndpoint`, any |
 * | `POST /refunds`, `GET /refunds/{id}`, `GET /refunds?payment_intent=` | `Refund`, list of them |
 */
const text = z.string().max(5000).refine(isStorable, "must not hold NUL or broken Unicode characters");
const optionalText = text.nullish().transform((value) => value || null);
const id = z.string().regex(/^[A-Za-z0-9_-]{1,255}$/);
const seconds = z.int().min(0).max(253_402_300_799).nullish();
/** The amount of a payment as it is written; one that is no whole number of cents is kept (decisions.md#mismatch-is-not-applied). */
const reportedAmount = z.number().transform((value, context): ReportedAmount => {
  const reported = centAmount(value);
  if (reported && reported.amount >= 0) return reported;
  context.addIssue("not an amount in cents");
  return z.NEVER;
});
const cents = z.int().min(0);
const ownMetadata = z
  .object({ reference: optionalText, refund_id: optionalText, kind: optionalText })
  .nullish()
  .catch(null);

/** An id or an object: `{id, value}`, where `value` is null for an id alone or an object of another shape. */
const expandable = <T extends z.ZodType>(shape: T) =>
  z
    .unknown()
    .transform((value): { readonly id: string; readonly value: z.infer<T> | null } | null => {
      if (typeof value === "string") return id.safeParse(value).success ? { id: value, value: null } : null;
      const named = z.object({ id }).safeParse(value).data;
      return named ? { id: named.id, value: (shape.safeParse(value).data as z.infer<T> | undefined) ?? null } : null;
    })
    .prefault(null);
const Nothing = z.object({});

const Charge = z.object({
  id,
  payment_method: optionalText,
  customer: expandable(Nothing),
  balance_transaction: expandable(z.object({ fee: cents, currency: text })),
  payment_method_details: z
    .object({
      card: z
        .object({
          brand: optionalText,
          last4: z.string().regex(/^\d{4}$/),
          exp_month: z.int().min(1).max(12).nullish(),
          exp_year: z.int().min(2000).max(9999).nullish(),
          fingerprint: optionalText,
        })
        .nullish()
        .catch(null),
    })
    .nullish()
    .catch(null),
  billing_details: z.object({ name: optionalText, email: optionalText }).nullish().catch(null),
});
export type Charge = z.infer<typeof Charge>;

const PaymentError = z.object({ code: optionalText, decline_code: optionalText, message: optionalText });

/** A saved card; `card` is missing for another kind of payment. */
export const PaymentMethod = z.object({
  id,
  card: z
    .object({
      brand: optionalText,
      last4: z.string().regex(/^\d{4}$/),
      exp_month: z.int().min(1).max(12),
      exp_year: z.int().min(2000).max(9999),
      fingerprint: optionalText,
    })
    .nullish(),
});
export type PaymentMethod = z.infer<typeof PaymentMethod>;

/** What an update of a saved card has replaced. */
export const PreviousCard = z.object({ card: z.object({ fingerprint: optionalText }) });

/** `status`: succeeded, processing, requires_action, requires_confirmation, requires_capture, requires_payment_method, canceled. */
export const PaymentIntent = z.object({
  id,
  status: text,
  amount: reportedAmount,
  amount_received: reportedAmount.nullish(),
  currency: text,
  created: seconds,
  customer: expandable(Nothing),
  payment_method: expandable(Nothing),
  receipt_email: optionalText,
  metadata: ownMetadata,
  /** Of a payment that a subscription's invoice asked for. */
  invoice: expandable(Nothing),
  latest_charge: expandable(Charge),
  last_payment_error: PaymentError.nullish().catch(null),
});
export type PaymentIntent = z.infer<typeof PaymentIntent>;
export const PaymentIntents = z.object({ data: z.array(PaymentIntent) });

const SubscriptionItem = z.object({
  id,
  current_period_end: seconds,
  quantity: z.int().min(0).nullish(),
  price: z
    .object({
      currency: text,
      unit_amount: cents.nullish().catch(null),
      product: expandable(Nothing),
      recurring: z.object({ interval: text, interval_count: z.int() }).nullish(),
    })
    .nullish(),
});

/** `status`: active, trialing, past_due, unpaid, paused, incomplete, incomplete_expired, canceled. */
export const Subscription = z.object({
  id,
  status: text,
  current_period_end: seconds,
  trial_end: seconds,
  pause_collection: z.object({ behavior: optionalText }).nullish(),
  metadata: ownMetadata,
  items: z.object({ data: z.array(SubscriptionItem) }).nullish(),
});
export type Subscription = z.infer<typeof Subscription>;

const SubscriptionDetails = z
  .object({ metadata: ownMetadata, subscription: expandable(Nothing) })
  .nullish()
  .catch(null);

/** Later versions name the subscription in `parent`. */
export const Invoice = z.object({
  id,
  status: optionalText,
  billing_reason: optionalText,
  amount_paid: reportedAmount,
  amount_due: reportedAmount,
  currency: text,
  created: seconds,
  customer: expandable(Nothing),
  customer_email: optionalText,
  subscription: expandable(Subscription),
  subscription_details: SubscriptionDetails,
  parent: z.object({ subscription_details: SubscriptionDetails }).nullish().catch(null),
  payment_intent: expandable(Nothing),
  charge: expandable(Charge),
  next_payment_attempt: seconds,
  status_transitions: z.object({ paid_at: seconds }).nullish().catch(null),
  lines: z
    .object({ data: z.array(z.object({ period: z.object({ end: seconds }).nullish() })) })
    .nullish()
    .catch(null),
});
export type Invoice = z.infer<typeof Invoice>;

/** `status`: open, complete, expired. `payment_status`: paid, unpaid, no_payment_required. */
export const Session = z.object({
  id,
  mode: optionalText,
  status: optionalText,
  payment_status: optionalText,
  amount_total: reportedAmount.nullish(),
  currency: optionalText,
  /** Of a page on which Stripe has asked for the payer's own currency: what was to be paid. */
  currency_conversion: z.object({ amount_total: reportedAmount, source_currency: text }).nullish().catch(null),
  created: seconds,
  client_reference_id: optionalText,
  metadata: ownMetadata,
  customer_email: optionalText,
  customer_details: z.object({ email: optionalText }).nullish().catch(null),
  payment_intent: expandable(PaymentIntent),
  invoice: expandable(Invoice),
  subscription: expandable(Subscription),
});
export type Session = z.infer<typeof Session>;

/** A session that was just made has a page. */
export const NewSession = z.object({ id, url: z.url({ protocol: /^https?$/ }) });

/** `status`: pending, succeeded, failed, requires_action, canceled. */
export const Refund = z.object({
  id,
  status: text,
  amount: cents,
  currency: optionalText,
  created: seconds,
  metadata: ownMetadata,
  /** The payment that it gives back. */
  payment_intent: expandable(Nothing),
  failure_reason: optionalText,
});
export type Refund = z.infer<typeof Refund>;
export const Refunds = z.object({ data: z.array(Refund) });

/** The charge of `charge.refunded`; later versions leave its refunds out. */
export const RefundedCharge = z.object({
  id,
  payment_intent: expandable(Nothing),
  refunds: Refunds.nullish().catch(null),
});

/** `status` of an inquiry begins with `warning_`: no money has moved. */
export const Dispute = z.object({
  id,
  amount: cents,
  status: text,
  reason: optionalText,
  created: seconds,
  payment_intent: expandable(Nothing),
  evidence_details: z.object({ due_by: seconds.nullish() }).nullish(),
});
export type Dispute = z.infer<typeof Dispute>;

/** An endpoint for notifications. */
const Endpoint = z.object({ id, url: text });
export type Endpoint = z.infer<typeof Endpoint>;
export const Endpoints = z.object({ data: z.array(Endpoint) });
/** The answer of `POST /webhook_endpoints`: the secret is shown this once. */
export const CreatedEndpoint = z.object({ id, secret: z.string().min(1).max(400) });
export const Removed = z.unknown();

/** A refusal. */
export const ErrorAnswer = z.object({
  error: z.object({ type: optionalText, code: optionalText, decline_code: optionalText, message: optionalText }),
});

/** A notification; `object` differs by type. */
export const Event = z.object({
  id,
  type: text.min(1),
  created: seconds,
  livemode: z.boolean().nullish(),
  data: z.object({ object: z.unknown(), previous_attributes: z.unknown().optional() }),
});
export type Event = z.infer<typeof Event>;
