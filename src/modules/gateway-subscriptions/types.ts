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
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** Interface 2.12. */
export const GATEWAY_SUBSCRIPTION_STATUSES = ["pending", "active", "past_due", "paused", "cancelled"] as const;
export type GatewaySubscriptionStatus = (typeof GATEWAY_SUBSCRIPTION_STATUSES)[number];

/** A fact that changes with time, and the time of the newest report of it. */
export interface Reported {
  readonly value: boolean;
  readonly asOf: Instant;
}

/** Flags for staff: the subscription was cancelled, paused, resumed or changed in the gateway's own dashboard. */
export const SUBSCRIPTION_FLAGS = ["made_elsewhere"] as const;
export type SubscriptionFlag = (typeof SUBSCRIPTION_FLAGS)[number];

/** The card with which a subscription is collected. */
export interface SubscriptionCard {
  /** The token with which the gateway account charges the card, encrypted. */
  readonly tokenSealed: string;
  readonly brand: "visa" | "mastercard" | "amex" | "diners" | "card";
  readonly last4: string;
}

/** Another amount, in cents, that collections around the time of a change may have. */
export interface OtherAmount {
  readonly amount: Cents;
  /**
   * When the change was confirmed: earlier collections may have the amount before the change. Null: the gateway was
   * asked for this amount and has not confirmed it.
   */
  readonly until: Instant | null;
}

/** Interface 2.12: a subscription that a gateway runs. */
export interface GatewaySubscription {
  readonly id: GatewaySubscriptionId;
  readonly status: GatewaySubscriptionStatus;
  readonly frequency: Frequency;
  /** Of each later collection, in cents. */
  readonly amount: Cents;
  /** The amount that the gateway may have collected instead of `amount`; null when nothing was changed. */
  readonly otherAmount: OtherAmount | null;
  readonly currency: string;
  /** Null, as the type, until the payer has chosen one. */
  readonly gatewayAccountId: GatewayAccountId | null;
  readonly gatewayType: string | null;
  readonly paymentLinkId: PaymentLinkId | null;
  readonly customerId: CustomerId | null;
  /** For a recurring link for an invoice: the invoice that each later one repeats. */
  readonly invoiceId: InvoiceId | null;
  /** Reference of the payment that began it; null, as the key, before. */
  readonly firstReference: string | null;
  /** The key that the gateway's later messages name it by. */
  readonly linkKey: string | null;
  /** The handle with which the adapter changes it, encrypted; null while the gateway has not reported it. */
  readonly handleSealed: string | null;
  /** Null when the gateway keeps no token that can be charged. */
  readonly card: SubscriptionCard | null;
  readonly payerEmail: string | null;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  /** When the gateway collects next; null when it does not report it. */
  readonly nextChargeOn: CalendarDay | null;
  readonly paused: Reported;
  /** Whether the newest collection was missed. */
  readonly pastDue: Reported;
  /** The number of later charges that were missed. */
  readonly missedCharges: number;
  /** The subscription that replaced it (interface 4.7). */
  readonly replacedById: GatewaySubscriptionId | null;
  readonly flags: readonly SubscriptionFlag[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** A collection that the merchant requested, by the stored card or by a mailed link (interface 4.7). */
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
