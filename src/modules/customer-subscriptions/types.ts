import type { CustomerReference } from "../../kernel/customer-reference.ts";
import type { CustomerSubscriptionId, Id, InvoiceId, PackageId, PlanId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";
import type { Bill, Subscription } from "./rules/planner/types.ts";

/** What is stored; `past_due` follows from the invoices (decision 276). */
export type StoredStatus = "scheduled" | "trialing" | "active" | "cancelled" | "expired";

/** Interface 2.13. */
export const CUSTOMER_SUBSCRIPTION_STATUSES = [
  "scheduled",
  "trialing",
  "active",
  "past_due",
  "cancelled",
  "expired",
] as const;

/** How a subscription's bills are collected (interface 16.13). */
export const COLLECTION_METHODS = ["invoice", "manual"] as const;
export type CollectionMethod = (typeof COLLECTION_METHODS)[number];

/** A customer subscription (interface 2.13). */
export interface CustomerSubscription {
  readonly id: CustomerSubscriptionId;
  readonly status: StoredStatus;
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
  /** What the planner computes with. */
  readonly state: Subscription;
  /** When the next start, bill or end falls due by itself; null while a payment is awaited, and when it has ended. */
  readonly nextDue: BusinessDay | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** As read, with what follows from its invoices. */
export interface ShownSubscription extends CustomerSubscription {
  /** Whether an invoice of it, sent to be paid, is unpaid past its due date. */
  readonly isPastDue: boolean;
}

/** A bill of a subscription; it never changes. */
export interface StoredBill {
  readonly id: Id<"csb">;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly bill: Bill;
  /** Null when nothing was to pay. */
  readonly invoiceId: InvoiceId | null;
  readonly createdAt: Instant;
}
