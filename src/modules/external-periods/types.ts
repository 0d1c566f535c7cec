import type { CustomerReference } from "../../domain/customer-reference.ts";
import type { CustomerSubscriptionId, Id, PlanId } from "../../kernel/ids.ts";
import type { PricedLine, Totals } from "../../kernel/lines.ts";
import type { Cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";

/** The statuses that another platform reports of a subscription that it bills (interface 4.8, mirror mode). */
export const REPORTED_STATUSES = ["active", "trialing", "past_due"] as const;
export type ReportedStatus = (typeof REPORTED_STATUSES)[number];

export type ExternalPeriodId = Id<"rper">;

/** A line of a comparison bill, in the price's own terms. */
export interface ComparisonLine extends PricedLine {
  readonly reason: unknown;
}

/** The bill that the service would have made for a period (decisions.md#external-periods-beside-their-shadow). */
export interface ComparisonBill extends Totals {
  readonly taxInclusive: boolean;
  readonly lines: readonly ComparisonLine[];
}

/** A period that the other platform has reported, `[start, next)`. */
export interface ExternalPeriod {
  readonly id: ExternalPeriodId;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly status: ReportedStatus;
  readonly start: CalendarDay;
  readonly next: CalendarDay;
  /** The number of renewals recorded by then. */
  readonly cycle: number;
  /** The amount that the other platform billed, with VAT; null when it did not report it. */
  readonly billed: Cents | null;
  readonly comparison: ComparisonBill;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Counts and sums of recorded periods, in cents with VAT. */
interface ComparisonSums {
  readonly periods: number;
  /** The periods whose billed amount the other platform has reported; the sums are of these. */
  readonly reported: number;
  /** Of these, the periods for which the service would have billed another amount. */
  readonly differing: number;
  readonly billed: Cents;
  readonly comparison: Cents;
}

/** An external subscription with the sums of its recorded periods. */
export interface ComparedSubscription extends ComparisonSums {
  readonly id: CustomerSubscriptionId;
  readonly externalReference: string;
  readonly status: string;
  readonly customer: CustomerReference;
  readonly planId: PlanId;
  readonly currency: string;
}

/** Sums over the external subscriptions in one currency. */
export interface ComparisonTotals extends ComparisonSums {
  readonly currency: string;
  readonly subscriptions: number;
}
