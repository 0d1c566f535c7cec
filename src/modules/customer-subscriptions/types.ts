import type { CustomerReference } from "../../domain/customer-reference.ts";
import type {
  CardId,
  CustomerSubscriptionId,
  Id,
  InvoiceId,
  MandateId,
  PackageId,
  PaymentLinkId,
  PlanId,
} from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import type { Bill, Subscription } from "./rules/planner/types.ts";

/** Interface 2.13. */
export const CUSTOMER_SUBSCRIPTION_STATUSES = [
  "scheduled",
  "pending",
  "trialing",
  "active",
  "past_due",
  "paused",
  "cancelled",
  "expired",
] as const;
export type CustomerSubscriptionStatus = (typeof CUSTOMER_SUBSCRIPTION_STATUSES)[number];

/** How a subscription's bills are collected (interface 16.13). */
export const BILLED_METHODS = ["gateway", "debit_order", "invoice", "manual"] as const;
/** With `external`, another platform makes the bills, and the service records the periods (interface 4.8, mirror mode). */
export const COLLECTION_METHODS = [...BILLED_METHODS, "external"] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

/** Billed each cycle, by usage, or once (interface 2.13). */
export const ITEM_KINDS = ["addon", "metered", "one_time"] as const;

/** How usage events become the quantity of a metered item (interface 16.24). */
export const AGGREGATIONS = ["sum", "max", "last", "unique"] as const;

/** The longest reference of the merchant. */
export const EXTERNAL_REFERENCE_MAX = 100;
/** The largest quantity of a plan. */
export const QUANTITY_MAX = 1_000_000;
/** The most items of a subscription. */
export const ITEMS_MAX = 100;

/** A customer subscription (interface 2.13). */
export interface CustomerSubscription {
  readonly id: CustomerSubscriptionId;
  /**
   * As stored. With collection method `invoice`, `past_due` is not stored: it follows from the invoices
   * (decisions.md#past-due-is-not-stored).
   */
  readonly status: CustomerSubscriptionStatus;
  readonly customer: CustomerReference;
  readonly plan: {
    readonly id: PlanId;
    readonly name: string;
    readonly packageId: PackageId;
    readonly packageName: string;
  };
  readonly collectionMethod: CollectionMethod;
  readonly externalReference: string | null;
  readonly metadata: Metadata;
  readonly source: SubscriptionSource;
  /** The saved card that its charges are taken from (interface 16.14); null until one has paid. */
  readonly card: SubscriptionCard | null;
  /** The facts from which the planner computes. */
  readonly state: Subscription;
  /** When the next start, bill or end falls due; null while a payment is awaited, and when it has ended. */
  readonly nextDue: CalendarDay | null;
  /** Null unless it is paused. */
  readonly pausedAt: Instant | null;
  /** Null unless it is cancelled. */
  readonly cancelledAt: Instant | null;
  /** Why it is cancelled, or will be when its period ends; null when no reason was given. */
  readonly cancelReason: string | null;
  /** The first-charge date for which the trial-ending notice was sent. */
  readonly trialNoticedFor: CalendarDay | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Who created it. */
export const SUBSCRIPTION_SOURCES = ["api", "checkout", "import"] as const;
export type SubscriptionSource = (typeof SUBSCRIPTION_SOURCES)[number];

/** A saved card as its subscriptions show it. */
export interface SubscriptionCard {
  readonly id: CardId;
  readonly brand: string;
  readonly last4: string;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
}

/** An invoice of a subscription as the subscription shows it. */
export interface SubscriptionInvoice {
  readonly id: InvoiceId;
  readonly number: string;
  readonly status: string;
  readonly currency: string;
  readonly total: Cents;
  readonly paid: Cents;
  readonly dueDate: CalendarDay | null;
  readonly payLinkId: PaymentLinkId | null;
}

/** A subscription as read, with the fields that follow from its invoices and its mandate. */
export interface ShownSubscription extends CustomerSubscription {
  /**
   * Whether an invoice of it is unpaid: with `invoice`, past its due date; collected by the service itself, after an attempt that
   * failed.
   */
  readonly isPastDue: boolean;
  /** The newest invoice. */
  readonly lastInvoice: SubscriptionInvoice | null;
  /** The oldest invoice that is neither paid nor cancelled. */
  readonly openInvoice: SubscriptionInvoice | null;
  /**
   * The mandate that collects it: the newest active one, else the newest paused one, else the newest one that waits for
   * its signature. Null unless it is collected by debit order.
   */
  readonly mandateId: MandateId | null;
}

/** A move of the end of a subscription's last billed period: another date, a pause, a reactivation, a change of frequency. */
export interface PeriodMove {
  readonly id: Id<"csm">;
  readonly subscriptionId: CustomerSubscriptionId;
  /** Of the bill whose period it is. */
  readonly cycle: number;
  /** The day after the period's last, before and after. */
  readonly endedOn: CalendarDay;
  readonly endsOn: CalendarDay;
  readonly createdAt: Instant;
}

/** A bill of a subscription; it never changes. */
export interface StoredBill {
  readonly id: Id<"csb">;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly bill: Bill;
  /** Null when nothing was due. */
  readonly invoiceId: InvoiceId | null;
  readonly createdAt: Instant;
}

/** The movements of a subscription's monthly recurring revenue (interface 14.4). */
export const MOVEMENT_KINDS = ["new", "expansion", "contraction", "churn", "reactivation"] as const;
export type MovementKind = (typeof MOVEMENT_KINDS)[number];

/** A change of the monthly recurring revenue of a subscription. */
export interface Movement {
  readonly id: Id<"mrm">;
  readonly kind: MovementKind;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly customer: CustomerReference;
  readonly currency: string;
  /** Below zero for a contraction and for churn. */
  readonly amount: Cents;
  readonly happenedAt: Instant;
}

/** The sum of the records of a currency. */
export interface CountedAmount {
  readonly currency: string;
  readonly amount: Cents;
  readonly count: number;
}
