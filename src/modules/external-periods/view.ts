import { customerReferenceView } from "../../domain/customer-reference.ts";
import { subtract, toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { DIFFERENCE_REASONS, differenceOf } from "./rules/difference.ts";
import type { ComparedSubscription, ComparisonTotals, ExternalPeriod } from "./types.ts";

/** A period of an external subscription; `lines` are those of its comparison bill as the API shows them. */
export function comparedPeriodView(period: ExternalPeriod, currency: string, lines: readonly object[]) {
  const { comparison, billed } = period;
  const { amount, reason } = differenceOf(period, currency);
  return {
    id: period.id,
    status: period.status,
    periodStart: period.start,
    periodEnd: period.next,
    currency,
    billedAmount: billed === null ? null : toRand(billed),
    shadow: {
      lines,
      subtotal: toRand(comparison.subtotal),
      tax: toRand(comparison.tax),
      total: toRand(comparison.total),
    },
    difference: {
      amount: amount === null ? null : toRand(amount),
      reason,
      explanation: DIFFERENCE_REASONS[reason],
    },
    recordedAt: toTimestamp(period.createdAt),
  };
}

/** An external subscription with the sums of its recorded periods. */
export const comparedView = (of: ComparedSubscription) => ({
  subscriptionId: of.id,
  externalReference: of.externalReference,
  status: of.status,
  customer: customerReferenceView(of.customer),
  planId: of.planId,
  currency: of.currency,
  ...sumsView(of),
});

/** Sums over the external subscriptions in one currency. */
export const comparisonTotalsView = (of: ComparisonTotals) => ({
  currency: of.currency,
  subscriptions: of.subscriptions,
  ...sumsView(of),
});

const sumsView = ({
  periods,
  reported,
  differing,
  billed,
  comparison,
}: Omit<ComparisonTotals, "currency" | "subscriptions">) => ({
  periods,
  reported,
  differing,
  billedAmount: toRand(billed),
  shadowAmount: toRand(comparison),
  difference: toRand(subtract(comparison, billed)),
});
