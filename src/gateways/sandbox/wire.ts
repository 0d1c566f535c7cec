import { z } from "zod";
import { isStorable } from "../../kernel/text.ts";

/**
 * The sandbox gateway's protocol, as both sides speak it: JSON over HTTP under `<base>/sandbox-gateway/api`, amounts in whole cents, Basic
 * authentication with the merchant's id and secret, and the account they belong to in `Sandbox-Account`. Creates carry our reference
 * as `Idempotency-Key` and answer the same record when repeated. Errors are `{error, message}`: 404 unknown, other 4xx a refusal.
 *
 * | method and path | request | answer |
 * | --- | --- | --- |
 * | `POST /checkouts` | `CheckoutRequest` | 201 `CheckoutAnswer` |
 * | `POST /charges` | `ChargeRequest` | 201 `Payment`, pending |
 * | `GET /payments/{id or reference}` | | `Payment` |
 * | `POST /refunds`, `GET /refunds/{refundId}` | `RefundRequest` | 201, 200 `Refund` |
 * | `GET`, `PATCH /subscriptions/{id}` | `SubscriptionChange` | `Subscription` |
 * | `POST /payments/{id or reference}/evidence` | `EvidenceRequest` | 200 `Payment` |
 * | `POST /subscriptions/{id}/pause`, `/resume`, `/cancel` | | `Subscription` |
 * | `POST /debit-batches`, `GET /debit-batches/{reference}` | `DebitBatchRequest` | 201, 200 `DebitBatch` |
 * | `POST /debit-batches/{reference}/lines` | `DebitLines`, in order | 200 `DebitBatch` |
 * | `POST /debit-batches/{reference}/submit` | `DebitBatchClose` | 200 `DebitBatch` |
 * | `GET /debit-batches/{reference}/payments?after=` | | `DebitResults`, 500 lines at most |
 * | `POST /mandates`, `GET /mandates/{accountReference}` | `MandateRequest` | 201, 200 `Mandate` |
 * | `POST /bank-account-checks` | `BankAccount` | `BankAccountWarnings` |
 */
export const API_PATH = "/sandbox-gateway/api";

/** Names the gateway account whose merchant is calling: merchants choose their ids themselves, so two may have the same. */
export const ACCOUNT_HEADER = "sandbox-account";

const amount = z.int().min(1);
const text = z.string().max(1000).refine(isStorable, "must not hold NUL or broken Unicode characters");
const day = z.iso.date();
const timestamp = z.iso.datetime();
const frequency = z.enum(["monthly", "quarterly", "biannually", "annually"]);
const status = z.enum(["pending", "complete", "failed", "cancelled"]);
const url = z.url({ protocol: /^https?$/ });

const Payer = z.object({
  email: text.nullable(),
  firstName: text.nullable(),
  lastName: text.nullable(),
  phone: text.nullable(),
});

export const CheckoutRequest = z.object({
  reference: text,
  amount,
  currency: z.string().length(3),
  description: text,
  payer: Payer,
  returnUrl: url,
  cancelUrl: url,
  notifyUrl: url,
  recurring: z.object({ frequency, amount, nextChargeOn: day.nullable() }).nullable(),
  saveCard: z.boolean(),
  startsSubscription: z.boolean().default(false),
});
export type CheckoutRequest = z.infer<typeof CheckoutRequest>;

/** `redirectUrl` is the payer's page, absolute. */
export const CheckoutAnswer = z.object({ id: text, redirectUrl: url });

export const ChargeRequest = z.object({
  reference: text,
  token: text,
  amount,
  currency: z.string().length(3),
  description: text,
  payer: Payer,
  notifyUrl: url,
});
export type ChargeRequest = z.infer<typeof ChargeRequest>;

export const Card = z.object({
  /** Null when the payer did not let it be saved. */
  token: text.nullable(),
  brand: z.enum(["visa", "mastercard", "amex", "diners"]),
  last4: z.string().length(4),
  expiryMonth: z.int().min(1).max(12).nullable(),
  expiryYear: z.int().nullable(),
  holderName: text.nullable(),
  fingerprint: text,
});
export type Card = z.infer<typeof Card>;

export const Decline = z.object({ code: text, message: text, hard: z.boolean() });
export type Decline = z.infer<typeof Decline>;

export const Payment = z.object({
  /** The gateway's own id; a renewal has a new one beside the first payment's reference. Null while the payer decides. */
  id: text.nullable(),
  reference: text,
  status,
  amount,
  currency: z.string().length(3),
  fee: z.int().min(0).nullable(),
  payerEmail: text.nullable(),
  card: Card.nullable(),
  decline: Decline.nullable(),
  subscription: z.object({ id: text, nextChargeOn: day.nullable() }).nullable(),
  occurredAt: timestamp.nullable(),
});
export type Payment = z.infer<typeof Payment>;

export const RefundRequest = z.object({
  refundId: text,
  reference: text,
  /** The payment's id at the gateway; null: the one of that reference. */
  paymentId: text.nullable(),
  amount,
  reason: text.nullable(),
  notifyUrl: url,
});
export type RefundRequest = z.infer<typeof RefundRequest>;

/** `refundId` is ours; null, as an unknown amount, in a report of a refund that was made at the gateway itself. */
export const Refund = z.object({
  id: text,
  refundId: text.nullable(),
  reference: text,
  amount: amount.nullable(),
  status: z.enum(["processed", "pending", "refused"]),
  reason: text.nullable(),
  occurredAt: timestamp,
});
export type Refund = z.infer<typeof Refund>;

export const Subscription = z.object({
  id: text,
  status: z.enum(["active", "past_due", "paused", "cancelled"]),
  amount,
  currency: z.string().length(3),
  nextChargeOn: day.nullable(),
  updatedAt: timestamp,
});
export type Subscription = z.infer<typeof Subscription>;

export const SubscriptionChange = z.object({ amount: amount.optional(), nextDate: day.optional() });
export type SubscriptionChange = z.infer<typeof SubscriptionChange>;

export const BankAccount = z.object({
  holder: text,
  number: text,
  branchCode: text,
  type: z.enum(["current", "savings", "transmission"]),
});
export type BankAccount = z.infer<typeof BankAccount>;

export const BankAccountWarnings = z.object({ warnings: z.array(text) });
export type BankAccountWarnings = z.infer<typeof BankAccountWarnings>;

export const DebitBatchRequest = z.object({ reference: text, actionDate: day, notifyUrl: url });
export type DebitBatchRequest = z.infer<typeof DebitBatchRequest>;

const DebitLine = z.object({
  reference: z.string().max(100).refine(isStorable),
  accountReference: text,
  amount,
  description: text,
  bank: BankAccount,
});
export type DebitLine = z.infer<typeof DebitLine>;

/** The most lines of a batch. */
export const BATCH_LINES_MAX = 50_000;

/** The most lines of a batch in one request, and the most of its payments in one notification or answer. */
export const LINES_TOGETHER = 500;

/** Lines of an open batch. `from`: how many lines come before them; lines that the batch already has are left unchanged. */
export const DebitLines = z.object({
  from: z.int().min(0),
  lines: z.array(DebitLine).min(1).max(LINES_TOGETHER),
});
export type DebitLines = z.infer<typeof DebitLines>;

/** The total number of lines of the batch. */
export const DebitBatchClose = z.object({ lines: z.int().min(1) });
export type DebitBatchClose = z.infer<typeof DebitBatchClose>;

/** Every line is accepted; its outcome is a payment with the line's reference, in notifications and in `DebitResults`. */
export const DebitBatch = z.object({
  id: text,
  reference: text,
  status: z.enum(["open", "submitted"]),
  lines: z.int().min(0),
});
export type DebitBatch = z.infer<typeof DebitBatch>;

/** The last line that the caller has; the answer begins after it. */
export const DebitResultsQuery = z.object({ after: z.coerce.number().int().min(0).max(1_000_000).default(0) });

/** `next`: the value of `after` for the next request; null at the end. */
export const DebitResults = z.object({ payments: z.array(Payment), next: z.int().nullable() });
export type DebitResults = z.infer<typeof DebitResults>;

export const MandateRequest = z.object({
  accountReference: text,
  amount,
  frequency,
  debitDay: z.int().min(1).max(31),
  startDate: day,
  description: text,
  payer: Payer,
  bank: BankAccount,
  notifyUrl: url,
});
export type MandateRequest = z.infer<typeof MandateRequest>;

export const Mandate = z.object({
  accountReference: text,
  status: z.enum(["waiting", "accepted", "rejected"]),
  signUrl: url,
  reason: text.nullable(),
  updatedAt: timestamp,
});
export type Mandate = z.infer<typeof Mandate>;

/** A debit or card payment that was complete and is returned by the bank. */
export const Reversal = z.object({
  paymentId: text,
  reference: text,
  amount,
  reason: text,
  code: text,
  hard: z.boolean(),
  occurredAt: timestamp,
  /** Where the merchant may answer it until that time. */
  dispute: z.object({ id: text, respondBy: timestamp }).nullish(),
});
export type Reversal = z.infer<typeof Reversal>;

/** How a dispute ended. */
export const Dispute = z.object({
  id: text,
  paymentId: text,
  reference: text,
  amount,
  status: z.enum(["won", "lost"]),
  reason: text,
  code: text,
  occurredAt: timestamp,
});
export type Dispute = z.infer<typeof Dispute>;

/** The files that answer the dispute of a payment. */
export const EvidenceRequest = z.object({
  files: z.array(z.object({ fileName: text, contentType: text, size: z.int().min(1), sha256: text })).min(1),
});
export type EvidenceRequest = z.infer<typeof EvidenceRequest>;

export const ErrorAnswer = z.object({ error: text, message: text });

const envelope = { id: text, merchantId: text };

/** The body of a notification, signed as `signing.ts` says. */
export const Notification = z.discriminatedUnion("type", [
  z.object({ ...envelope, type: z.literal("payment"), payment: Payment }),
  z.object({ ...envelope, type: z.literal("payments"), payments: z.array(Payment).max(LINES_TOGETHER) }),
  z.object({ ...envelope, type: z.literal("refund"), refund: Refund }),
  z.object({ ...envelope, type: z.literal("reversal"), reversal: Reversal }),
  z.object({ ...envelope, type: z.literal("dispute"), dispute: Dispute }),
  z.object({ ...envelope, type: z.literal("subscription"), subscription: Subscription }),
  z.object({ ...envelope, type: z.literal("mandate"), mandate: Mandate }),
]);
export type Notification = z.infer<typeof Notification>;
