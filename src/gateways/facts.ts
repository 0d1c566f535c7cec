import { assertNever } from "../kernel/assert.ts";
import type { Cents } from "../kernel/money.ts";
import type { CalendarDay, Instant } from "../kernel/time.ts";

/**
 * What a gateway reports, verified and in the service's own types. The same facts come from
 * notifications, queries and statements, and are applied by one flow whatever their source (docs/architecture.md, The path of a payment).
 */
export type GatewayFact =
  | PaymentFact
  | RefundFact
  | ReversalFact
  | DisputeFact
  | SubscriptionFact
  | MandateFact
  | CardFact;

interface Fact {
  /** Time by the gateway; null when it does not report one. */
  readonly occurredAt: Instant | null;
  /** The gateway's own status word or code, for the log and for staff. */
  readonly gatewayWord: string;
}

/** Interface 2.9: known card schemes; `card` is any other. */
export type CardBrand = "visa" | "mastercard" | "amex" | "diners" | "card";

/** The card a payment was made with. */
export interface CardDetails {
  /**
   * The token for the same account's `storedCards.charge`; null when this card cannot be charged again. Opaque: only
   * the adapter that made it reads it, so it may hold everything that the gateway needs for a charge. Sealed at rest,
   * never logged.
   */
  readonly token: string | null;
  readonly brand: CardBrand;
  readonly last4: string;
  /** 1 to 12. */
  readonly expiryMonth: number | null;
  /** Four digits. */
  readonly expiryYear: number | null;
  readonly holderName: string | null;
  /** Equal each time the same card is saved, so that a card saved before is recognised (interface 3.6); null when the gateway has none. */
  readonly fingerprint: string | null;
  /** Other fingerprints under which the same card may be saved: of a number that was replaced, or as the adapter made them once. */
  readonly otherFingerprints?: readonly string[];
}

/** A subscription as the gateway knows it. */
export interface SubscriptionLink {
  /**
   * The key that matches every message about the subscription to it. It is known with the first paid fact at the
   * latest; that fact starts the subscription, and names the payment's reference. It is not a secret: where the gateway
   * matches by a secret, this is its hash.
   */
  readonly key: string;
  /** What the adapter needs to change the subscription; null while it is not known (it may arrive with a later fact). Sealed at rest. */
  readonly handle: string | null;
  readonly nextChargeOn: CalendarDay | null;
  /** With the first paid fact: the gateway collects nothing until `subscriptions.begin` is called after it. */
  readonly mustBegin?: boolean;
}

interface PaymentReport extends Fact {
  readonly about: "payment";
  /** Our reference, in full; null when the gateway names only its own ids. A renewal may repeat the first payment's. */
  readonly reference: string | null;
  /**
   * The gateway's id of this payment (interface 2.7), the same in each report of it: a report with another id is about
   * another payment. Each renewal has its own.
   */
  readonly providerRef: string | null;
  readonly payerEmail: string | null;
  readonly card: CardDetails | null;
  /**
   * Set when the payment belongs to a subscription. The core, not the adapter, finds out which of its collections it is:
   * a reference that is null, unknown, or already paid under another `providerRef` is a later one.
   */
  readonly subscription: SubscriptionLink | null;
  /**
   * The amount as the gateway wrote it, when it is no whole number of cents; `amount` is then rounded. The fact is
   * stored and flagged like a fact with a wrong amount, and never applied.
   */
  readonly inexactAmount?: string;
}

/** Money is on its way to the merchant. Counts as complete only when amount and currency are what was asked. */
export interface PaidFact extends PaymentReport {
  readonly kind: "paid";
  readonly amount: Cents;
  readonly currency: string;
  /** Zero or more; null when the gateway does not report it. */
  readonly fee: Cents | null;
}

export interface DeclinedFact extends PaymentReport {
  readonly kind: "declined";
  readonly amount: Cents | null;
  readonly currency: string | null;
  /** For people, without details that name the payer. */
  readonly reason: string;
  /** The same card or account will never pay: token error, stolen, closed (interface 16.16, "hard decline"). */
  readonly hard: boolean;
  /**
   * The gateway returns money that it had collected, or may have collected: a payment that was complete is reversed,
   * with the code of the bank or the gateway. Without it, such a payment stays as it is.
   */
  readonly takesBack?: { readonly code: string | null };
}

/** Abandoned by the payer, or not decided yet. A status that the adapter does not know is `pending`. */
export interface UndecidedFact extends PaymentReport {
  readonly kind: "abandoned" | "pending";
  readonly amount: Cents | null;
  readonly currency: string | null;
  /**
   * What staff have to do at the gateway, in a sentence, before it goes on. They are told once; the payment stays
   * pending until it is decided.
   */
  readonly forStaff?: string;
  /** The gateway calls it paid, and its statement has to confirm that: the payment stays pending until a line of it says so. */
  readonly waitsFor?: "statement";
}

export type PaymentFact = PaidFact | DeclinedFact | UndecidedFact;

/** The state of a refund made through the gateway, requested here or made in the gateway's own dashboard. */
export interface RefundFact extends Fact {
  readonly about: "refund";
  /** `refused` also when it was accepted first and failed later: the money stays with the merchant. */
  readonly kind: "processed" | "pending" | "refused";
  /** Our refund's id when the gateway gives it back; else it is found by `providerRefundRef`. */
  readonly refundId: string | null;
  readonly providerRefundRef: string | null;
  /** Our reference of the payment. */
  readonly reference: string | null;
  /**
   * The gateway's id of the payment, as `PaymentReport.providerRef`, by which the payment of a refund that was made
   * elsewhere is found too.
   */
  readonly paymentRef?: string | null;
  /** Null when the gateway does not tell it. */
  readonly amount: Cents | null;
  readonly currency?: string;
  /** The gateway tells no amount: nothing is left of the payment. */
  readonly whole?: true;
  readonly reason: string | null;
}

/**
 * A bank reverses money that was collected: an unpaid debit, a chargeback. Only this fact, and a declined one with
 * `takesBack`, reverses a complete payment.
 */
export interface ReversalFact extends Fact {
  readonly about: "reversal";
  readonly reference: string | null;
  readonly providerRef: string | null;
  readonly amount: Cents;
  readonly reason: string;
  /** The bank's or gateway's code, such as `02`. */
  readonly code: string | null;
  /** As in `DeclinedFact`. */
  readonly hard: boolean;
  /** The dispute by which the money is taken; absent when it is none, or the gateway does not say so. */
  readonly dispute?: DisputeReport;
}

/** A dispute as a gateway reports it with the money that is taken. */
export interface DisputeReport {
  /** The gateway's id of the dispute, the same in each report of it. */
  readonly id: string;
  /** The gateway's or the bank's code for the reason; null when there is none. */
  readonly code: string | null;
  /** Until when the merchant may answer; null when the gateway does not say so, or it is decided. */
  readonly respondBy: Instant | null;
  /** It is decided, for the payer. */
  readonly lost: boolean;
}

/**
 * A payer disputes a payment with their bank. `opened`: the merchant has to answer, and no money has moved; where the
 * gateway takes the money at once, it is reported as a reversal with `dispute` instead. `won`: the merchant won, and
 * money that a reversal took is returned. `lost`: the payer won, and the money stays taken.
 */
export interface DisputeFact extends Fact {
  readonly about: "dispute";
  readonly kind: "opened" | "won" | "lost";
  readonly reference: string | null;
  readonly providerRef: string | null;
  /** What is disputed; null: the whole payment. */
  readonly amount: Cents | null;
  /** For people. */
  readonly reason: string;
  /** The gateway's id of the dispute, the same in each report of it. */
  readonly disputeId: string;
  /** As in `DisputeReport`. */
  readonly code?: string | null;
  readonly respondBy?: Instant | null;
}

/** The state of a subscription that the gateway runs (interface 2.12). Its collections are payment facts. */
export interface SubscriptionFact extends Fact {
  readonly about: "subscription";
  readonly kind: "active" | "past_due" | "paused" | "cancelled";
  readonly subscription: SubscriptionLink;
  /** What each later collection is, when the gateway tells it for certain. */
  readonly amount?: Cents | null;
}

/** What the payer did with an electronic mandate (interface 4.10). */
export interface MandateFact extends Fact {
  readonly about: "mandate";
  readonly kind: "accepted" | "rejected" | "waiting";
  /** Interface 2.2. */
  readonly accountReference: string;
  readonly reason: string | null;
  /** Where the payer signs; null when the gateway does not say so with this fact. */
  readonly signUrl: string | null;
}

/** The network of a saved card has renewed it: its number has a new expiry, or was replaced. */
export interface CardFact extends Fact {
  readonly about: "card";
  readonly kind: "renewed";
  /** Its token is null where the card is charged as before. */
  readonly card: CardDetails;
}

/** The common part of a payment fact that the service or staff report, not a gateway. */
export const internalFact = (reference: string, gatewayWord: string): PaymentReport => ({
  about: "payment",
  occurredAt: null,
  gatewayWord,
  reference,
  providerRef: null,
  payerEmail: null,
  card: null,
  subscription: null,
});

/** The transaction status of a payment fact (interface 3.1). */
export function statusFor(fact: PaymentFact): "pending" | "cancelled" | "failed" | "complete" {
  switch (fact.kind) {
    case "paid":
      return "complete";
    case "declined":
      return "failed";
    case "abandoned":
      return "cancelled";
    case "pending":
      return "pending";
    default:
      return assertNever(fact);
  }
}

/** The card without its token, and without former fingerprints, from which its number could be guessed. */
function cardWithoutSecrets({ otherFingerprints: _, ...card }: CardDetails): CardDetails {
  return { ...card, token: null };
}

/** The fact without what must never be logged or kept in the clear: card tokens and subscription handles. */
export function withoutSecrets(fact: GatewayFact): GatewayFact {
  if (fact.about === "subscription") return { ...fact, subscription: { ...fact.subscription, handle: null } };
  if (fact.about === "card") return { ...fact, card: cardWithoutSecrets(fact.card) };
  if (fact.about !== "payment") return fact;
  const { card, subscription } = fact;
  return {
    ...fact,
    card: card && cardWithoutSecrets(card),
    subscription: subscription && { ...subscription, handle: null },
  };
}
