import type { StandInPayment, StandInSubscription } from "../stand-in.ts";
import type { Fields, Shape } from "./protocol.ts";
import { unix } from "./protocol.ts";

/* What Stripe keeps, and how its answers and notifications show it, in the shapes of version 2024-06-20. */

export interface Card {
  readonly method: string;
  readonly customer: string | null;
  readonly number: string;
}

export interface Intent {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly metadata: Record<string, string>;
  readonly created: Date;
  readonly invoice: string | null;
  /** The merchant's reference of the payment, or of the one that began its subscription. */
  readonly reference: string;
  readonly email: string | null;
  status: "succeeded" | "requires_payment_method" | "canceled" | "requires_action";
  card: Card | null;
  error: Shape | null;
  disputed: boolean;
}

export interface Subscription {
  readonly id: string;
  readonly item: string;
  readonly product: string;
  readonly currency: string;
  readonly months: number;
  readonly metadata: Record<string, string>;
  readonly card: Card;
  readonly email: string | null;
  readonly reference: string;
  amount: number;
  status: "active" | "trialing" | "past_due" | "canceled";
  paused: boolean;
  periodEnd: number;
}

export interface Invoice {
  readonly id: string;
  readonly subscription: Subscription;
  readonly reason: "subscription_create" | "subscription_cycle";
  readonly amount: number;
  readonly created: Date;
  intent: Intent | null;
  status: "paid" | "open";
}

export interface Session {
  readonly id: string;
  readonly mode: string;
  readonly reference: string;
  readonly metadata: Record<string, string>;
  readonly amount: number;
  readonly currency: string;
  readonly email: string | null;
  readonly created: Date;
  status: "open" | "complete" | "expired";
  paid: boolean;
  intent: Intent | null;
  invoice: Invoice | null;
}

export interface Refund {
  readonly id: string;
  readonly intent: Intent;
  readonly amount: number;
  readonly metadata: Record<string, string>;
  readonly created: Date;
  status: "succeeded" | "pending" | "failed";
}

/** Whether a path is expanded in the answer. */
export type Expanded = (path: string) => boolean;
const NOTHING: Expanded = () => false;

const under =
  (expanded: Expanded, path: string): Expanded =>
  (below) =>
    expanded(`${path}.${below}`);

const BRANDS: Readonly<Record<string, string>> = { "4": "visa", "5": "mastercard", "3": "amex" };
const feeOf = (amount: number): number => Math.round(amount * 0.029) + 30;

function chargeView(intent: Intent, expanded: Expanded): Shape {
  const id = intent.id.replace("pi_", "ch_");
  const { card, amount, currency, email } = intent;
  const balance = id.replace("ch_", "txn_");
  return {
    id,
    object: "charge",
    amount,
    currency,
    customer: card?.customer ?? null,
    payment_method: card?.method ?? null,
    payment_intent: intent.id,
    balance_transaction: expanded("balance_transaction")
      ? { id: balance, object: "balance_transaction", amount, fee: feeOf(amount), currency }
      : balance,
    billing_details: { name: null, email },
    payment_method_details: {
      type: "card",
      card: card && {
        brand: BRANDS[card.number[0] ?? ""] ?? "unknown",
        last4: card.number.slice(-4),
        exp_month: 12,
        exp_year: 2034,
        fingerprint: `fp${card.number}`,
      },
    },
  };
}

export function intentView(intent: Intent, expanded: Expanded = NOTHING): Shape {
  const { id, amount, currency, status, metadata, card, created, invoice, error, email } = intent;
  const charged = status === "succeeded" ? intent.id.replace("pi_", "ch_") : null;
  return {
    id,
    object: "payment_intent",
    ...{ amount, currency, status, metadata, invoice },
    amount_received: status === "succeeded" ? amount : 0,
    created: unix(created),
    customer: card?.customer ?? null,
    payment_method: card?.method ?? null,
    receipt_email: email,
    latest_charge:
      charged && expanded("latest_charge") ? chargeView(intent, under(expanded, "latest_charge")) : charged,
    last_payment_error: error,
  };
}

/** Seconds after which the search finds an intent. */
const SEARCHED_AFTER = 60;

/** What the search by a reference in the metadata finds. */
export function searched(intents: readonly Intent[], fields: Fields, now: Date, expanded: Expanded): Shape {
  const [, reference] = /^metadata\["reference"\]:"([^"]+)"$/.exec(fields.get("query") ?? "") ?? [];
  const found = intents.filter(
    ({ metadata, created }) => metadata["reference"] === reference && unix(created) + SEARCHED_AFTER <= unix(now),
  );
  const data = found.map((intent) => intentView(intent, under(expanded, "data")));
  return { object: "search_result", data, has_more: false };
}

export function subscriptionView(subscription: Subscription): Shape {
  const { id, status, metadata, item, product, currency, months, amount, paused, periodEnd, card } = subscription;
  const recurring =
    months % 12 === 0
      ? { interval: "year", interval_count: months / 12 }
      : { interval: "month", interval_count: months };
  return {
    id,
    object: "subscription",
    ...{ status, metadata },
    customer: card.customer,
    current_period_end: periodEnd,
    trial_end: status === "trialing" ? periodEnd : null,
    pause_collection: paused ? { behavior: "void", resumes_at: null } : null,
    items: {
      object: "list",
      data: [
        {
          id: item,
          object: "subscription_item",
          quantity: 1,
          price: { id: `price_${amount}`, currency, product, recurring, unit_amount: amount },
        },
      ],
    },
  };
}

export function invoiceView(invoice: Invoice, expanded: Expanded = NOTHING): Shape {
  const { id, subscription, reason, amount, created, intent, status } = invoice;
  const charged = intent?.status === "succeeded" ? intent.id.replace("pi_", "ch_") : null;
  return {
    id,
    object: "invoice",
    status,
    billing_reason: reason,
    amount_due: amount,
    amount_paid: status === "paid" ? amount : 0,
    currency: subscription.currency,
    created: unix(created),
    customer: subscription.card.customer,
    customer_email: subscription.email,
    subscription: expanded("subscription") ? subscriptionView(subscription) : subscription.id,
    subscription_details: { metadata: subscription.metadata },
    payment_intent: intent?.id ?? null,
    charge: charged && intent && expanded("charge") ? chargeView(intent, under(expanded, "charge")) : charged,
    next_payment_attempt: null,
    status_transitions: { paid_at: status === "paid" ? unix(created) : null },
    lines: { data: [{ period: { start: unix(created), end: subscription.periodEnd } }] },
  };
}

export function sessionView(session: Session, url: string | null, expanded: Expanded = NOTHING): Shape {
  const { id, mode, reference, metadata, amount, currency, email, created, status, paid, intent, invoice } = session;
  const subscription = invoice?.subscription;
  return {
    id,
    object: "checkout.session",
    ...{ mode, metadata, currency, status },
    url: status === "open" ? url : null,
    payment_status: paid ? "paid" : "unpaid",
    amount_total: amount,
    client_reference_id: reference,
    customer_email: email,
    customer_details: status === "complete" ? { email: email ?? "payer@example.com" } : null,
    created: unix(created),
    payment_intent:
      mode === "payment" && intent
        ? expanded("payment_intent")
          ? intentView(intent, under(expanded, "payment_intent"))
          : intent.id
        : null,
    invoice: invoice && (expanded("invoice") ? invoiceView(invoice, under(expanded, "invoice")) : invoice.id),
    subscription: subscription ? (expanded("subscription") ? subscriptionView(subscription) : subscription.id) : null,
  };
}

export const refundView = ({ id, intent, amount, metadata, created, status }: Refund): Shape => ({
  id,
  object: "refund",
  ...{ amount, metadata, status },
  currency: intent.currency,
  payment_intent: intent.id,
  charge: intent.id.replace("pi_", "ch_"),
  created: unix(created),
  ...(status === "failed" ? { failure_reason: "lost_or_stolen_card" } : {}),
});

const STATUSES = {
  succeeded: "paid",
  canceled: "cancelled",
  requires_payment_method: "failed",
  requires_action: "pending",
} as const;

/** A payment as every stand-in shows it. */
export const paymentOf = ({ reference, status, amount, disputed }: Intent, refunded: number): StandInPayment => ({
  ...{ reference, amount, refunded },
  status: disputed ? "reversed" : STATUSES[status],
});

/** A subscription as every stand-in shows it. */
export function standingOf({ status, paused, amount, periodEnd }: Subscription): StandInSubscription {
  if (status === "canceled") return { status: "cancelled", amount, nextDate: null };
  const nextDate = new Date(periodEnd * 1000).toISOString().slice(0, 10);
  return { status: paused ? "paused" : status === "past_due" ? "past_due" : "active", amount, nextDate };
}

/** A dispute of a payment. */
export const disputeView = (
  { id: payment_intent, amount, currency }: Intent,
  fields: { readonly id: string; readonly status: string; readonly created: number },
): Shape => ({ object: "dispute", amount, currency, payment_intent, reason: "fraudulent", ...fields });
