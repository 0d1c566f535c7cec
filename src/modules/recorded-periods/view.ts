import { customerReferenceView } from "../../domain/customer-reference.ts";
import { subtract, toRand } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { DIFFERENCE_REASONS, differenceOf } from "./rules/difference.ts";
import type { RecordedPeriod, ShadowedSubscription, ShadowTotals } from "./types.ts";

/** A recorded period; `lines` are those of its shadow bill as the API shows them. */
export function shadowPeriodView(period: RecordedPeriod, currency: string, lines: readonly object[]) {
  const { shadow, billed } = period;
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
      subtotal: toRand(shadow.subtotal),
      tax: toRand(shadow.tax),
      total: toRand(shadow.total),
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
export const shadowedView = (of: ShadowedSubscription) => ({
  subscriptionId: of.id,
  externalReference: of.externalReference,
  status: of.status,
  customer: customerReferenceView(of.customer),
  planId: of.planId,
  currency: of.currency,
  ...sumsView(of),
});

/** Sums over the external subscriptions in one currency. */
export const shadowTotalsView = (of: ShadowTotals) => ({
  currency: of.currency,
  subscriptions: of.subscriptions,
  ...sumsView(of),
});

const sumsView = ({
  periods,
  reported,
  differing,
  billed,
  shadow,
}: Omit<ShadowTotals, "currency" | "subscriptions">) => ({
  periods,
  reported,
  differing,
  billedAmount: toRand(billed),
  shadowAmount: toRand(shadow),
  difference: toRand(subtract(shadow, billed)),
});
