import type { Shape } from "./protocol.ts";

/* What Paystack keeps, and how its answers and notifications show it. */

export interface Transaction {
  readonly id: number;
  readonly reference: string;
  /** Of the payment that began the subscription; else its own. */
  readonly first: string;
  readonly amount: number;
  readonly currency: string;
  readonly email: string;
  readonly metadata: unknown;
  readonly plan: string | null;
  status: "abandoned" | "success" | "failed" | "reversed";
  card: Card | null;
  paidAt: Date | null;
  reason: string;
}

export interface Card {
  readonly code: string;
  readonly email: string;
  readonly number: string;
}

export interface Subscription {
  readonly code: string;
  readonly token: string;
  readonly plan: string;
  readonly email: string;
  readonly card: Card;
  readonly first: string;
  readonly createdAt: Date;
  status: "active" | "attention" | "non-renewing" | "cancelled";
  next: Date | null;
}

export interface Refund {
  readonly id: number;
  readonly transaction: Transaction;
  readonly amount: number;
  readonly note: string;
  status: "pending" | "processing" | "processed" | "failed";
}

const BRANDS: Readonly<Record<string, string>> = { "4": "visa", "5": "mastercard", "3": "american express" };
const feeOf = (amount: number): number => Math.round(amount * 0.029) + 100;

/** It names neither the plan nor the currency. */
export function invoiceData(
  subscription: Subscription,
  { reference, status, amount, paidAt }: Transaction,
  now: Date,
): Shape {
  const paid = status === "success";
  const { code: subscription_code, token: email_token, next } = subscription;
  return {
    invoice_code: `INV_${reference}`,
    amount,
    status,
    paid,
    paid_at: paidAt?.toISOString() ?? null,
    authorization: authorization(subscription.card),
    subscription: {
      status: subscription.status,
      subscription_code,
      email_token,
      amount,
      next_payment_date: next?.toISOString(),
    },
    customer: { email: subscription.email, customer_code: `CUS_${subscription.email.length}` },
    transaction: paid ? { reference, status, amount } : {},
    created_at: now.toISOString(),
  };
}

function authorization(card: Card | null): Shape {
  if (!card) return { channel: "eft", bank: "Capitec", reusable: false };
  const { code, number } = card;
  const brand = BRANDS[number[0] ?? ""] ?? "verve";
  return {
    authorization_code: code,
    bin: number.slice(0, 6),
    last4: number.slice(-4),
    exp_month: "12",
    exp_year: "2034",
    channel: "card",
    card_type: `${brand} `,
    brand,
    reusable: true,
    signature: `SIG_${number}`,
    account_name: null,
  };
}

/** A transaction as notifications have it, or as it is verified: there its plan is a code. */
export function transactionData(transaction: Transaction, object: Shape | undefined, verified: boolean): Shape {
  const { id, reference, status, amount, currency, email, metadata, plan, card, paidAt, reason } = transaction;
  return {
    id,
    domain: "test",
    ...{ status, reference, amount, currency, requested_amount: amount, message: null, metadata },
    fees: paidAt ? feeOf(amount) : null,
    channel: card ? "card" : "eft",
    gateway_response: reason,
    paid_at: paidAt?.toISOString() ?? null,
    customer: { id: 1173, email, customer_code: `CUS_${email.length}` },
    authorization: paidAt ? authorization(card) : {},
    ...(verified ? { plan, plan_object: object } : { plan: object }),
  };
}

/** A subscription with its plan. */
export function subscriptionData(
  { code, token, status, email, card, next, createdAt }: Subscription,
  plan: Shape,
): Shape {
  return {
    subscription_code: code,
    email_token: token,
    status,
    amount: plan["amount"],
    next_payment_date: next?.toISOString() ?? null,
    plan,
    customer: { email, customer_code: `CUS_${email.length}` },
    authorization: authorization(card),
    createdAt: createdAt.toISOString(),
  };
}
/** A refund. */
export function refundData({ id, transaction, amount, note, status }: Refund): Shape {
  return {
    id,
    transaction: transaction.id,
    amount,
    currency: transaction.currency,
    merchant_note: note,
    customer_note: "",
    status,
  };
}

const WEEK_MS = 7 * 24 * 3600 * 1000;

/** A dispute that waits for the merchant's answer. */
export const disputeData = ({ id, reference, amount, currency }: Transaction, dispute: number, now: Date): Shape => ({
  id: dispute,
  refund_amount: amount,
  currency,
  status: "awaiting-merchant-feedback",
  resolution: null,
  category: "fraud",
  dueAt: new Date(now.getTime() + WEEK_MS).toISOString(),
  resolvedAt: null,
  transaction: { id, reference, amount },
});
