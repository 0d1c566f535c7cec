import { z } from "zod";
import { isStorable } from "../../kernel/text.ts";
import { centAmount, type ReportedAmount } from "../amounts.ts";
import { parsed } from "../json-api.ts";

/**
 * Paystack's protocol as this service uses it: JSON over HTTPS, amounts in whole cents, `Authorization: Bearer <secret key>`. An answer is
 * `{status: true, message, data}`, a refusal of 4xx `{status: false, message, type, code, meta}`. The key decides whether money is real.
 *
 * | method and path | request | answer |
 * | --- | --- | --- |
 * | `POST /transaction/initialize` | `InitializeRequest` | `Initialized` |
 * | `GET /transaction/verify/{reference}` | | `Transaction` |
 * | `POST /transaction/charge_authorization` | `ChargeRequest` | `Charged` |
 * | `POST /plan` | `PlanRequest` | `Plan` |
 * | `POST /subscription` | `SubscriptionRequest` | `CreatedSubscription` |
 * | `GET /subscription/{code}` | | `Subscription` |
 * | `POST /subscription/disable` | `DisableRequest` | no data |
 * | `POST /refund`, `GET /refund/{id}`, `GET /refund?transaction=` | `RefundRequest` | `Refund`, `Refund`, list of them |
 */
const text = z.string().max(1000).refine(isStorable, "must not hold NUL or broken Unicode characters");
const optionalText = text.nullish().transform((value) => value || null);
/** Refund notifications sometimes give cents as text. */
const cents = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
]);
/** The amount of a payment as it is written; one that is no whole number of cents is kept (decisions.md#mismatch-is-not-applied). */
const reportedAmount = z.union([z.number(), z.string()]).transform((value, context): ReportedAmount => {
  const reported = centAmount(value);
  if (reported && reported.amount >= 0) return reported;
  context.addIssue("not an amount in cents");
  return z.NEVER;
});
const id = z.union([z.int().min(0).transform(String), z.string().regex(/^[A-Za-z0-9_-]{1,100}$/)]);
/** A time that cannot be read counts as not given. */
const time = z.iso.datetime({ offset: true }).nullish().catch(null);
/** The schema of an answer: the envelope is checked, and `data` is used. */
const answered = <T extends z.ZodType>(data: T) => z.object({ status: z.literal(true), data });

/** The interval words are this service's own. */
const interval = z.enum(["monthly", "quarterly", "biannually", "annually"]).nullish().catch(null);

export interface InitializeRequest {
  readonly email: string;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  readonly callback_url: string;
  readonly metadata: object;
  /** Starts a subscription with the plan's amount in place of `amount`. */
  readonly plan?: string;
  readonly channels?: readonly string[];
}

export const Initialized = answered(
  z.object({ authorization_url: z.url({ protocol: /^https?$/ }), access_code: text, reference: text }),
);

export interface ChargeRequest {
  /** The one under which the card was saved. */
  readonly email: string;
  readonly amount: number;
  readonly currency: string;
  readonly authorization_code: string;
  readonly reference: string;
}

export interface PlanRequest {
  readonly name: string;
  readonly amount: number;
  readonly interval: string;
  readonly currency: string;
}

export const Plan = answered(z.object({ plan_code: text.min(1) }));

export interface SubscriptionRequest {
  /** Email address. */
  readonly customer: string;
  readonly plan: string;
  readonly authorization: string;
  /** ISO 8601. */
  readonly start_date: string;
}

export interface DisableRequest {
  readonly code: string;
  readonly token: string;
}

export interface RefundRequest {
  /** Paystack's number of the transaction, or its reference. */
  readonly transaction: number | string;
  readonly amount: number;
  readonly currency: string;
  readonly merchant_note: string;
}

const Customer = z.object({ email: optionalText, customer_code: optionalText });

const Authorization = z.object({
  authorization_code: optionalText,
  last4: optionalText,
  exp_month: z.union([z.string(), z.number()]).nullish(),
  exp_year: z.union([z.string(), z.number()]).nullish(),
  brand: optionalText,
  card_type: optionalText,
  channel: optionalText,
  reusable: z.boolean().nullish(),
  signature: optionalText,
  account_name: optionalText,
});
export type Authorization = z.infer<typeof Authorization>;

/** A plan is given as its code, as the object, or not at all: null, an empty text, an empty object. */
export interface PlanNamed {
  readonly code: string;
  readonly interval: z.infer<typeof interval>;
}
const PlanObject = z.object({ plan_code: text.min(1), interval });
const planNamed = z
  .unknown()
  .transform((value): PlanNamed | null => {
    if (typeof value === "string" && value !== "" && value.length <= 100) return { code: value, interval: null };
    const plan = PlanObject.safeParse(value).data;
    return plan ? { code: plan.plan_code, interval: plan.interval } : null;
  })
  .prefault(null);

/** The metadata of a payment that starts a subscription. Paystack starts the subscription with the payment, or is asked to after it. */
const OwnMetadata = z.object({
  subscription_plan: text.min(1),
  subscription_interval: z.enum(["monthly", "quarterly", "biannually", "annually"]),
  subscription_begins: z.enum(["with_payment", "after_payment"]),
  /** The requested date of the first later collection; without it, one period after the payment. */
  subscription_start: z.iso.date().nullish(),
});
export type OwnMetadata = z.infer<typeof OwnMetadata>;
/** Metadata are returned as an object or as JSON text; null when they are not ours. */
const ownMetadata = z
  .unknown()
  .transform((value) => {
    const metadata = typeof value === "string" ? parsed(value) : value;
    return OwnMetadata.safeParse(metadata).data ?? null;
  })
  .prefault(null);

const transaction = z.object({
  id,
  reference: text.min(1),
  status: text,
  amount: reportedAmount,
  currency: text,
  fees: cents.nullish(),
  gateway_response: optionalText,
  message: optionalText,
  paid_at: time,
  paidAt: time,
  customer: Customer.nullish(),
  authorization: z
    .unknown()
    .transform((value) => Authorization.safeParse(value).data ?? null)
    .prefault(null),
  plan: planNamed,
  plan_object: planNamed,
  metadata: ownMetadata,
});
/** `status`: success, failed, abandoned, ongoing, pending, processing, queued, reversed. */
export type Transaction = z.infer<typeof transaction>;
export const Transaction = answered(transaction);

/** The bank wants the payer to confirm the charge on a page. */
const Paused = z.object({ paused: z.literal(true) });
export const Charged = answered(z.union([Paused, transaction]));

/** `data.plan` is a number here. */
export const CreatedSubscription = answered(
  z.object({ subscription_code: text.min(1), email_token: optionalText, next_payment_date: time }),
);

const subscription = z.object({
  subscription_code: text.min(1),
  email_token: optionalText,
  status: text,
  next_payment_date: time,
  plan: planNamed,
});
/** `status`: active, non-renewing, attention, completed, complete, cancelled. */
export type Subscription = z.infer<typeof subscription>;
export const Subscription = answered(subscription);

export const Done = z.object({ status: z.literal(true) });

const refund = z.object({
  id,
  status: text,
  amount: cents.nullish(),
  merchant_note: optionalText,
});
/** `status`: pending, processing, processed, failed, needs-attention. */
export type Refund = z.infer<typeof refund>;
export const Refund = answered(refund);
export const Refunds = answered(z.array(refund));

/** A refusal. */
export const ErrorAnswer = z.object({ message: text, code: optionalText });

// ------------------------------------------------------------------------------------------------ notifications

/** The envelope of every notification; `data` differs by event. */
export const Notification = z.object({ event: text.min(1), data: z.unknown() });

/** `test` or `live`, of the key that made what the data are about. */
export const Domain = z.object({ domain: text });

/** `data` of `charge.success`. */
export const ChargeData = transaction;

/** `data` of `subscription.*`, except `subscription.expiring_cards`. */
export const SubscriptionData = subscription.extend({ createdAt: time, created_at: time });
export type SubscriptionData = z.infer<typeof SubscriptionData>;

/** `data` of `invoice.payment_failed` and `invoice.update`. It names no plan and no currency; `transaction` may be empty. */
export const InvoiceData = z.object({
  invoice_code: text.min(1),
  amount: cents,
  paid: z.union([z.boolean(), z.int()]).nullish().transform(Boolean),
  subscription: z.object({ subscription_code: text.min(1) }),
  transaction: z.object({ reference: optionalText }).nullish(),
  created_at: time,
  createdAt: time,
});
export type InvoiceData = z.infer<typeof InvoiceData>;

/** `data` of `refund.*`. */
export const RefundData = z.object({
  id: id.nullish(),
  transaction_reference: text.min(1),
  amount: cents.nullish(),
  currency: optionalText,
  status: optionalText,
});
export type RefundData = z.infer<typeof RefundData>;

/** `data` of `charge.dispute.*`. `dueAt`: until when the merchant may answer. */
export const DisputeData = z.object({
  id,
  dueAt: time,
  refund_amount: cents.nullish(),
  resolution: optionalText,
  category: optionalText,
  resolvedAt: time,
  resolved_at: time,
  transaction: z.object({ id, reference: optionalText }),
});
export type DisputeData = z.infer<typeof DisputeData>;
