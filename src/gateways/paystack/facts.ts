import type { Frequency } from "../../kernel/frequency.ts";
import { cents } from "../../kernel/money.ts";
import { boundary } from "../../kernel/periods.ts";
import { type CalendarDay, calendarDay, type Instant, instant } from "../../kernel/time.ts";
import type {
  CardBrand,
  CardDetails,
  DisputeFact,
  PaymentFact,
  RefundFact,
  ReversalFact,
  SubscriptionFact,
  SubscriptionLink,
} from "../facts.ts";
import type {
  Authorization,
  DisputeData,
  InvoiceData,
  OwnMetadata,
  Refund,
  RefundData,
  Subscription,
  SubscriptionData,
  Transaction,
} from "./wire.ts";

const instantOrNull = (time: string | null | undefined): Instant | null => (time ? instant(time) : null);
const dayOrNull = (time: string | null | undefined): CalendarDay | null => (time ? calendarDay(instant(time)) : null);

/** What `storedCards.charge` needs: the card's code, and the address under which it was saved. */
export interface StoredCard {
  readonly authorization: string;
  readonly email: string;
}

/** The token of a card as `CardDetails` holds it. */
export const cardToken = (card: StoredCard): string => JSON.stringify(card);

/** The card of a token that `cardToken` made. */
export const storedCard = (token: string): StoredCard => JSON.parse(token) as StoredCard;

const BRANDS: readonly (readonly [RegExp, CardBrand])[] = [
  [/^visa/, "visa"],
  [/^master/, "mastercard"],
  [/^(amex|american express)/, "amex"],
  [/^diners/, "diners"],
];

/** Null for a payment that was not made by card. Only a reusable authorization can be charged again. */
function cardDetails(authorization: Authorization | null, email: string | null): CardDetails | null {
  if (!authorization?.last4 || (authorization.channel !== null && authorization.channel !== "card")) return null;
  const { authorization_code: code, last4, brand, card_type: kind, reusable, signature } = authorization;
  const named = (brand ?? kind ?? "").trim().toLowerCase();
  return {
    token: reusable === true && code && email ? cardToken({ authorization: code, email }) : null,
    brand: BRANDS.find(([pattern]) => pattern.test(named))?.[1] ?? "card",
    last4,
    expiryMonth: numberIn(authorization.exp_month, 1, 12),
    expiryYear: numberIn(authorization.exp_year, 2000, 9999),
    holderName: authorization.account_name,
    fingerprint: signature,
  };
}

function numberIn(value: string | number | null | undefined, min: number, max: number): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isInteger(number) && number >= min && number <= max ? number : null;
}

/**
 * One period after `from`. Paystack collects subscriptions that began on the 29th to 31st on the 28th, so the date may
 * be up to three days late.
 */
const nextPeriod = (from: Instant | null, frequency: Frequency | null | undefined): CalendarDay | null =>
  from && frequency ? boundary(calendarDay(from), frequency, 1) : null;

/**
 * The first collection of a subscription that is created after its first payment: the asked date, or the first period's
 * end after the payment.
 */
function firstCollection(
  { subscription_interval: frequency, subscription_start: start }: OwnMetadata,
  paidAt: Instant | null,
): CalendarDay | null {
  const day = (start ?? null) as CalendarDay | null;
  if (day === null || paidAt === null) return day ?? nextPeriod(paidAt, frequency);
  let periods = 0;
  while (boundary(day, frequency, periods) <= calendarDay(paidAt)) periods++;
  return boundary(day, frequency, periods);
}

/**
 * Each subscription has a plan of its own, so the plan's code is its key: a charge names the plan and no subscription,
 * and all other messages lead to the plan.
 */
function subscriptionLink(transaction: Transaction, paidAt: Instant | null): SubscriptionLink | null {
  const { metadata } = transaction;
  if (metadata)
    return {
      key: metadata.subscription_plan,
      handle: null,
      nextChargeOn: firstCollection(metadata, paidAt),
      mustBegin: metadata.subscription_begins === "after_payment",
    };
  const { plan, plan_object: planObject } = transaction;
  const code = plan?.code ?? planObject?.code;
  if (!code) return null;
  return { key: code, handle: null, nextChargeOn: nextPeriod(paidAt, plan?.interval ?? planObject?.interval) };
}

/** The reasons after which the same card will never pay. */
const HARD =
  /stolen|lost card|pick.?up|expired card|restricted card|closed account|invalid card|no such card|not reusable|authori[sz]ation code/i;

/** Whether a decline reason of Paystack or the bank is final for the card. */
export const isHard = (reason: string): boolean => HARD.test(reason);

/**
 * A transaction as a fact. `abandoned` is pending, since its payer may still finish. `reversed` is pending too and
 * moves no money: for a payment that was paid here and returned, separate facts are reported.
 */
export function paymentFact(transaction: Transaction): PaymentFact {
  const { reference, status, currency, customer } = transaction;
  const paidAt = instantOrNull(transaction.paid_at ?? transaction.paidAt);
  const payerEmail = customer?.email ?? null;
  const report = {
    about: "payment",
    occurredAt: paidAt,
    gatewayWord: status,
    reference,
    providerRef: transaction.id,
    payerEmail,
    card: cardDetails(transaction.authorization, payerEmail),
    subscription: subscriptionLink(transaction, paidAt),
    ...transaction.amount,
    currency: currency.toUpperCase(),
  } as const;
  if (status === "success")
    return { ...report, kind: "paid", fee: transaction.fees == null ? null : cents(transaction.fees) };
  if (status !== "failed") return { ...report, kind: "pending" };
  const reason = transaction.gateway_response ?? transaction.message ?? "The payment was declined.";
  return { ...report, kind: "declined", reason, hard: isHard(reason) };
}

/** What acts on a subscription: its code and its email token. */
export interface SubscriptionHandle {
  readonly code: string;
  readonly token: string;
}

/** The handle as `SubscriptionLink` holds it; null without a token. Neither part has a colon. */
export const handleText = (code: string, token: string | null): string | null => (token ? `${code}:${token}` : null);

/** The parts of a handle that `handleText` made. */
export function handleParts(handle: string): SubscriptionHandle {
  const [code = "", token = ""] = handle.split(":");
  return { code, token };
}

const SUBSCRIPTION_KINDS: Readonly<Record<string, SubscriptionFact["kind"]>> = {
  active: "active",
  attention: "past_due",
  "non-renewing": "cancelled",
  completed: "cancelled",
  complete: "cancelled",
  cancelled: "cancelled",
};

/**
 * A subscription as a fact; null without a plan, or with a status that is not known. `non-renewing` is cancelled:
 * nothing more is collected, although Paystack shows it as active until its period ends.
 */
export function subscriptionFact(
  subscription: Subscription | SubscriptionData,
  status: string = subscription.status,
): SubscriptionFact | null {
  const kind = SUBSCRIPTION_KINDS[status];
  if (!kind || !subscription.plan) return null;
  const { subscription_code: code, email_token: token, next_payment_date: next } = subscription;
  const created = "createdAt" in subscription ? (subscription.createdAt ?? subscription.created_at) : null;
  return {
    about: "subscription",
    kind,
    // Only the report of the creation has a time of its own.
    occurredAt: kind === "active" ? instantOrNull(created) : null,
    gatewayWord: status,
    subscription: { key: subscription.plan.code, handle: handleText(code, token), nextChargeOn: dayOrNull(next) },
  };
}

/** A missed collection, identified by its invoice: the attempt may have no transaction. */
export const missedCollection = (
  { invoice_code, amount, created_at, createdAt }: InvoiceData,
  subscription: SubscriptionLink,
): PaymentFact => ({
  about: "payment",
  kind: "declined",
  occurredAt: instantOrNull(created_at ?? createdAt),
  gatewayWord: "invoice.payment_failed",
  reference: null,
  providerRef: invoice_code,
  payerEmail: null,
  card: null,
  subscription,
  amount: cents(amount),
  // The notification names no currency.
  currency: null,
  reason: "The card was declined.",
  hard: false,
});

const REFUND_KINDS: Readonly<Record<string, RefundFact["kind"]>> = { processed: "processed", failed: "refused" };

const REFUND_REASONS: Readonly<Record<string, string>> = {
  failed: "Paystack could not make the refund, and has credited it to the merchant again.",
  "needs-attention": "Paystack wants the payer's bank details: enter them at the refund in its dashboard.",
};

const refundState = (status: string) =>
  ({
    about: "refund",
    kind: REFUND_KINDS[status] ?? "pending",
    occurredAt: null,
    gatewayWord: status,
    reason: REFUND_REASONS[status] ?? null,
  }) as const;

/** A refund as Paystack answers it, about the refund with our id. */
export const refundFact = (refund: Refund, refundId: string | null): RefundFact => ({
  ...refundState(refund.status),
  refundId,
  providerRefundRef: refund.id,
  reference: null,
  amount: refund.amount == null ? null : cents(refund.amount),
});

/** A refund as a notification reports it: by the payment and the amount, often without an id. */
export const refundEventFact = (
  { id, transaction_reference, amount, currency }: RefundData,
  status: string,
): RefundFact => ({
  ...refundState(status),
  refundId: null,
  providerRefundRef: id ?? null,
  reference: transaction_reference,
  amount: amount == null ? null : cents(amount),
  ...(currency ? { currency: currency.toUpperCase() } : {}),
});

/** A refund as Paystack lists it among those of a payment: its note begins with our id, unless it was made in Paystack's dashboard. */
export function listedRefund(refund: Refund, payment: { readonly reference: string; readonly id: string }): RefundFact {
  const ours = /^ref_[0-9a-z]{26}(?= |$)/.exec(refund.merchant_note ?? "")?.[0] ?? null;
  return { ...refundFact(refund, ours), reference: payment.reference, paymentRef: payment.id };
}

const disputed = ({ category, transaction }: DisputeData) =>
  ({
    reference: transaction.reference,
    providerRef: transaction.id,
    reason: `The payer disputed the payment${category ? ` (${category})` : ""}.`,
  }) as const;

/** A dispute that waits for the merchant's answer: Paystack takes nothing before it is resolved. */
export function openDispute(dispute: DisputeData): DisputeFact {
  const { id: disputeId, refund_amount: amount, dueAt } = dispute;
  return {
    about: "dispute",
    kind: "opened",
    occurredAt: null,
    gatewayWord: "opened",
    ...disputed(dispute),
    amount: amount ? cents(amount) : null,
    disputeId,
    code: dispute.category ?? null,
    respondBy: dueAt ? instant(dueAt) : null,
  };
}

/** A dispute that has ended: the money is taken when the merchant accepted it. Null for another end. */
export function resolvedDispute(dispute: DisputeData): ReversalFact | DisputeFact | null {
  const { id, resolution, refund_amount: amount } = dispute;
  const report = {
    occurredAt: instantOrNull(dispute.resolvedAt ?? dispute.resolved_at),
    gatewayWord: resolution ?? "",
    ...disputed(dispute),
  };
  if (amount && /accepted/i.test(resolution ?? ""))
    return {
      ...{ about: "reversal", ...report, amount: cents(amount), code: id, hard: true },
      dispute: { id, code: dispute.category ?? null, respondBy: null, lost: true },
    };
  if (resolution !== "declined") return null;
  return { about: "dispute", kind: "won", ...report, amount: amount ? cents(amount) : null, disputeId: id };
}
