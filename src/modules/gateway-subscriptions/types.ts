import type { Frequency } from "../../kernel/frequency.ts";
import type {
  CustomerId,
  GatewayAccountId,
  GatewaySubscriptionId,
  Id,
  InvoiceId,
  PaymentLinkId,
} from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";

/** Interface 2.12. */
export const GATEWAY_SUBSCRIPTION_STATUSES = ["pending", "active", "past_due", "paused", "cancelled"] as const;
export type GatewaySubscriptionStatus = (typeof GATEWAY_SUBSCRIPTION_STATUSES)[number];

/** A fact that changes with time, and the time of the newest report of it. */
export interface Reported {
  readonly value: boolean;
  readonly asOf: Instant;
}

/** The card with which a subscription is collected. */
export interface SubscriptionCard {
  /** What the gateway account charges, encrypted. */
  readonly tokenSealed: string;
  readonly brand: "visa" | "mastercard" | "amex" | "diners" | "card";
  readonly last4: string;
}

/** Another amount, in cents, of collections that the gateway made about the time of a change. */
export interface OtherAmount {
  readonly amount: Cents;
  /** When the change was confirmed: earlier collections may have the amount of before. Null: the gateway was asked for this amount and has not confirmed it. */
  readonly until: Instant | null;
}

/** Interface 2.12: a subscription that a gateway runs. */
export interface GatewaySubscription {
  readonly id: GatewaySubscriptionId;
  readonly status: GatewaySubscriptionStatus;
  readonly frequency: Frequency;
  /** Of each later collection, in cents. */
  readonly amount: Cents;
  /** What the gateway may have collected in place of `amount`; null when nothing was changed. */
  readonly otherAmount: OtherAmount | null;
  readonly currency: string;
  /** Null, as the type, until the payer has chosen one. */
  readonly gatewayAccountId: GatewayAccountId | null;
  readonly gatewayType: string | null;
  readonly paymentLinkId: PaymentLinkId | null;
  readonly customerId: CustomerId | null;
  /** Of a recurring link for an invoice: the invoice that each later one repeats. */
  readonly invoiceId: InvoiceId | null;
  /** Reference of the payment that began it; null, as the key, before. */
  readonly firstReference: string | null;
  /** By which the gateway's later messages name it. */
  readonly linkKey: string | null;
  /** What the adapter needs to act on it, encrypted; null while the gateway has not reported it. */
  readonly handleSealed: string | null;
  /** Null when the gateway keeps no token that can be charged. */
  readonly card: SubscriptionCard | null;
  readonly payerEmail: string | null;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  /** When the gateway collects next; null when it does not say. */
  readonly nextChargeOn: BusinessDay | null;
  readonly paused: Reported;
  /** Whether the newest collection was missed. */
  readonly pastDue: Reported;
  /** Later charges that were missed, ever. */
  readonly missedCharges: number;
  /** The subscription that took its place (interface 4.7). */
  readonly replacedById: GatewaySubscriptionId | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A collection that the merchant asked for, by the stored card or by a mailed link (interface 4.7). */
export interface SubscriptionRetry {
  readonly id: Id<"gsr">;
  readonly subscriptionId: GatewaySubscriptionId;
  /** Reference of the missed charge; null when it collects without one. */
  readonly missedReference: string | null;
  /** Null: by the stored card. */
  readonly paymentLinkId: PaymentLinkId | null;
  /** Reference of the stored card's payment; null for a link. */
  readonly reference: string | null;
  readonly createdAt: Instant;
}
