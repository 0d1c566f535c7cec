import { type Cents, cents, sum } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay, type Instant, instant } from "../../kernel/time.ts";
import type { ReportedAmount } from "../amounts.ts";
import type {
  CardBrand,
  CardDetails,
  CardFact,
  DisputeFact,
  PaymentFact,
  RefundFact,
  ReversalFact,
  SubscriptionFact,
  SubscriptionLink,
} from "../facts.ts";
import type { Charge, Dispute, Invoice, PaymentIntent, PaymentMethod, Refund, Session, Subscription } from "./wire.ts";

const instantOrNull = (seconds: number | null | undefined): Instant | null =>
  seconds == null ? null : instant(seconds * 1000);
const dayOrNull = (seconds: number | null | undefined): CalendarDay | null =>
  seconds == null ? null : calendarDay(instant(seconds * 1000));

/** What `storedCards.charge` needs. */
export interface StoredCard {
  readonly customer: string;
  readonly method: string;
}

/** The token of a card as `CardDetails` holds it. */
export const cardToken = (card: StoredCard): string => JSON.stringify(card);

/** The card of a token that `cardToken` made. */
export const storedCard = (token: string): StoredCard => JSON.parse(token) as StoredCard;

const BRANDS: Readonly<Record<string, CardBrand>> = {
  visa: "visa",
  mastercard: "mastercard",
  amex: "amex",
  american_express: "amex",
  diners: "diners",
  diners_club: "diners",
};

/** Null for a payment that was not made by card. One that belongs to no customer cannot be charged again. */
function cardDetails(charge: Charge | null | undefined, customer: string | null): CardDetails | null {
  const card = charge?.payment_method_details?.card;
  if (!charge || !card) return null;
  const method = charge.payment_method;
  return {
    token: customer && method ? cardToken({ customer, method }) : null,
    brand: BRANDS[card.brand ?? ""] ?? "card",
    last4: card.last4,
    expiryMonth: card.exp_month ?? null,
    expiryYear: card.exp_year ?? null,
    holderName: charge.billing_details?.name ?? null,
    fingerprint: card.fingerprint,
  };
}

/**
 * A saved card that its network, or staff in Stripe's dashboard, gave a new expiry or number; it is charged as before.
 * Null for another kind of payment. `former`: the fingerprint of the number that was replaced.
 */
export function cardFact(
  { card }: PaymentMethod,
  word: string,
  { at, former }: { readonly at: number | null | undefined; readonly former: string | null },
): CardFact | null {
  if (!card) return null;
  const details = {
    token: null,
    brand: BRANDS[card.brand ?? ""] ?? "card",
    last4: card.last4,
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
    holderName: null,
    fingerprint: card.fingerprint,
    otherFingerprints: former === null ? [] : [former],
  } as const;
  return { about: "card", kind: "renewed", occurredAt: instantOrNull(at), gatewayWord: word, card: details };
}

/**
 * Null until Stripe has booked the fee, and when the fee is in another currency than the payment: the account is then paid out in its own
 * currency.
 */
function feeIn(charge: Charge | null | undefined, currency: string) {
  const booked = charge?.balance_transaction?.value;
  return booked && booked.currency === currency ? cents(booked.fee) : null;
}

/** The decline codes after which the same card will never pay. */
const HARD = new Set([
  "expired_card",
  "lost_card",
  "stolen_card",
  "pickup_card",
  "restricted_card",
  "revocation_of_all_authorizations",
  "revocation_of_authorization",
  "invalid_account",
  "invalid_number",
  "no_such_card",
  "resource_missing",
  "payment_method_unactivated",
]);

/** Whether a decline code of the bank or Stripe is final for the card. */
export const isHard = (code: string | null): boolean => HARD.has(code ?? "");

/** A charge of a stored card, without the payer: an answer that needs the payer's action is a decline. */
export const STORED_CARD = "stored_card";

const PENDING_AT_BANK = new Set(["processing", "requires_capture"]);

/**
 * A payment intent as a fact. On Stripe's page the payer may try again after a decline, so that nothing but success and
 * cancellation decides it; a charge of a stored card is declined by everything that needs a payer.
 */
export function intentFact(intent: PaymentIntent): PaymentFact {
  const { status, currency, customer, last_payment_error: error, metadata } = intent;
  const charge = intent.latest_charge?.value;
  const report = {
    about: "payment",
    occurredAt: instantOrNull(intent.created),
    gatewayWord: error?.decline_code ?? error?.code ?? status,
    reference: metadata?.reference ?? null,
    providerRef: intent.id,
    payerEmail: intent.receipt_email ?? charge?.billing_details?.email ?? null,
    card: cardDetails(charge, customer?.id ?? charge?.customer?.id ?? null),
    subscription: null,
    currency: currency.toUpperCase(),
  } as const;
  if (status === "succeeded")
    return { ...report, kind: "paid", ...(intent.amount_received ?? intent.amount), fee: feeIn(charge, currency) };
  const undecided = { ...report, ...intent.amount };
  if (metadata?.kind === STORED_CARD && !PENDING_AT_BANK.has(status)) {
    const reason = error?.message ?? "The bank wants the payer to confirm the charge.";
    return { ...undecided, kind: "declined", reason, hard: isHard(error?.decline_code ?? error?.code ?? null) };
  }
  return { ...undecided, kind: status === "canceled" ? "abandoned" : "pending" };
}

/** When a subscription is collected next; null for one that is not. Later versions keep the period with the item. */
function nextCharge(subscription: Subscription | null | undefined): CalendarDay | null {
  if (!subscription || subscription.status === "canceled") return null;
  return dayOrNull(subscription.current_period_end ?? subscription.items?.data[0]?.current_period_end);
}

const linkOf = (id: string, subscription: Subscription | null | undefined): SubscriptionLink => ({
  key: id,
  handle: id,
  nextChargeOn: nextCharge(subscription),
});

const ZERO_AMOUNT: ReportedAmount = { amount: cents(0) };

/**
 * A session as a fact, with its expanded objects. A payment that starts a subscription is identified by its invoice, as
 * later collections are.
 */
export function sessionFact(session: Session): PaymentFact {
  const { payment_intent: intent, invoice, subscription, status, payment_status: paid } = session;
  const { currency_conversion: converted } = session;
  const currency = converted?.source_currency ?? session.currency ?? "";
  const charge = intent?.value?.latest_charge?.value ?? invoice?.value?.charge?.value;
  const customer = intent?.value?.customer?.id ?? invoice?.value?.customer?.id ?? charge?.customer?.id ?? null;
  const report = {
    about: "payment",
    occurredAt: instantOrNull(session.created),
    gatewayWord: paid === "paid" ? "paid" : (status ?? "unknown"),
    reference: session.client_reference_id ?? session.metadata?.reference ?? null,
    providerRef: invoice?.id ?? intent?.id ?? null,
    payerEmail: session.customer_details?.email ?? session.customer_email,
    card: cardDetails(charge, customer),
    subscription: subscription && linkOf(subscription.id, subscription.value),
    ...(converted?.amount_total ?? session.amount_total ?? ZERO_AMOUNT),
    currency: currency.toUpperCase(),
  } as const;
  if (paid === "paid") return { ...report, kind: "paid", fee: feeIn(charge, currency) };
  return { ...report, kind: status === "expired" ? "abandoned" : "pending" };
}

/** A session whose bank payment failed after the payer had left its page. */
export const failedSession = (session: Session): PaymentFact => ({
  ...sessionFact({ ...session, payment_status: "unpaid" }),
  kind: "declined",
  gatewayWord: "async_payment_failed",
  reason: "The bank did not pay.",
  hard: false,
});

/** The subscription that an invoice is for; null for another invoice. */
export const subscriptionOf = ({ subscription, parent }: Invoice): string | null =>
  subscription?.id ?? parent?.subscription_details?.subscription?.id ?? null;

/** Our reference of the payment that started the invoice's subscription. */
export const referenceOf = ({ subscription, subscription_details: details, parent }: Invoice): string | null =>
  details?.metadata?.reference ??
  parent?.subscription_details?.metadata?.reference ??
  subscription?.value?.metadata?.reference ??
  null;

const invoiceReport = (invoice: Invoice, subscription: string, reference: string | null) =>
  ({
    about: "payment",
    reference,
    providerRef: invoice.id,
    payerEmail: invoice.customer_email,
    currency: invoice.currency.toUpperCase(),
    subscription: {
      ...linkOf(subscription, invoice.subscription?.value),
      nextChargeOn: nextCharge(invoice.subscription?.value) ?? periodEnd(invoice),
    },
  }) as const;

/** The end of the period of an invoice: the latest of its lines, since a one-time line has no period. */
const periodEnd = ({ lines }: Invoice): CalendarDay | null =>
  (lines?.data ?? [])
    .map(({ period }) => dayOrNull(period?.end))
    .reduce((latest, day) => (latest !== null && (day === null || day < latest) ? latest : day), null);

/** A collection that was paid. */
export const paidInvoice = (invoice: Invoice, subscription: string, reference: string | null): PaymentFact => ({
  ...invoiceReport(invoice, subscription, reference),
  kind: "paid",
  occurredAt: instantOrNull(invoice.status_transitions?.paid_at ?? invoice.created),
  gatewayWord: invoice.billing_reason ?? "paid",
  card: cardDetails(invoice.charge?.value, invoice.customer?.id ?? null),
  ...invoice.amount_paid,
  fee: feeIn(invoice.charge?.value, invoice.currency),
});

/**
 * A missed collection. Stripe may try it again; then it is paid under the same id. It is never the first payment, whose
 * reference its invoice carries. `at`: the time of the notification.
 */
export const missedInvoice = (invoice: Invoice, subscription: string, at: number | null | undefined): PaymentFact => ({
  ...invoiceReport(invoice, subscription, null),
  // The period of a missed collection does not give the date of the next one.
  subscription: { key: subscription, handle: subscription, nextChargeOn: dayOrNull(invoice.next_payment_attempt) },
  kind: "declined",
  occurredAt: instantOrNull(at ?? invoice.created),
  gatewayWord: "payment_failed",
  card: null,
  ...invoice.amount_due,
  reason: "The card was declined.",
  hard: false,
});

const SUBSCRIPTION_KINDS: Readonly<Record<string, SubscriptionFact["kind"]>> = {
  active: "active",
  trialing: "active",
  past_due: "past_due",
  unpaid: "past_due",
  paused: "paused",
  canceled: "cancelled",
  incomplete_expired: "cancelled",
};

/** A subscription as a fact; null for one whose first payment is not made. `at`: of the notification, null for an answer. */
export function subscriptionFact(subscription: Subscription, at: number | null | undefined): SubscriptionFact | null {
  const { id, status } = subscription;
  const known = SUBSCRIPTION_KINDS[status];
  const kind = subscription.pause_collection && known !== "cancelled" ? "paused" : known;
  if (!kind) return null;
  const report = { occurredAt: instantOrNull(at), gatewayWord: status, amount: priceOf(subscription) };
  return { about: "subscription", kind, ...report, subscription: linkOf(id, subscription) };
}

/** What each period costs; null when a price has no amount of its own, or when none is told. */
function priceOf({ items }: Subscription): Cents | null {
  const prices = (items?.data ?? []).map(({ price, quantity }) =>
    price?.recurring && price.unit_amount != null ? price.unit_amount * (quantity ?? 1) : null,
  );
  return prices.length === 0 || prices.includes(null) ? null : sum(prices.map((price) => cents(price ?? 0)));
}

const REFUND_KINDS: Readonly<Record<string, RefundFact["kind"]>> = {
  succeeded: "processed",
  failed: "refused",
  canceled: "refused",
};

/** A refund as a fact. One that was made in Stripe's dashboard has no id of ours. */
export const refundFact = (refund: Refund): RefundFact => ({
  about: "refund",
  kind: REFUND_KINDS[refund.status] ?? "pending",
  occurredAt: instantOrNull(refund.created),
  gatewayWord: refund.status,
  refundId: refund.metadata?.refund_id ?? null,
  providerRefundRef: refund.id,
  reference: null,
  amount: cents(refund.amount),
  ...(refund.currency ? { currency: refund.currency.toUpperCase() } : {}),
  reason: refund.failure_reason && `Stripe could not make the refund: ${refund.failure_reason.replaceAll("_", " ")}.`,
});

/** What names the payment of an intent here: our reference, and the id under which it is known; a collection is known by its invoice. */
const paymentOf = (intent: PaymentIntent | null, id: string | null) => ({
  reference: intent?.invoice ? null : (intent?.metadata?.reference ?? null),
  ref: intent?.invoice?.id ?? id,
});

/** A refund that was made in Stripe's dashboard, with its payment; `intent` is null when it is not known. */
export function elsewhereFact(refund: Refund, intent: PaymentIntent | null): RefundFact {
  const { reference, ref } = paymentOf(intent, refund.payment_intent?.id ?? intent?.id ?? null);
  return { ...refundFact(refund), reference, paymentRef: ref };
}

/**
 * A chargeback: Stripe takes the money when it is opened, and returns it when the merchant wins. `intent` is the
 * disputed payment; null when it is not known.
 */
export function disputeFact(dispute: Dispute, intent: PaymentIntent | null): ReversalFact | DisputeFact {
  const { reference, ref } = paymentOf(intent, dispute.payment_intent?.id ?? null);
  const report = {
    occurredAt: instantOrNull(dispute.created),
    gatewayWord: dispute.reason ?? dispute.status,
    reference,
    providerRef: ref,
    amount: cents(dispute.amount),
    reason: `The payer disputed the payment${dispute.reason ? ` (${dispute.reason.replaceAll("_", " ")})` : ""}.`,
  };
  const code = dispute.reason ?? null;
  if (dispute.status === "won") return { about: "dispute", kind: "won", ...report, disputeId: dispute.id, code };
  const lost = dispute.status === "lost";
  const respondBy = lost ? null : instantOrNull(dispute.evidence_details?.due_by ?? null);
  return {
    ...{ about: "reversal", ...report, code: dispute.id, hard: true },
    dispute: { id: dispute.id, code, respondBy, lost },
  };
}
