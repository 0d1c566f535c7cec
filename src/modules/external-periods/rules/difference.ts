import { type Unit, unitOf } from "../../../kernel/currency.ts";
import { priceLine, totalsOf, vatOn } from "../../../kernel/lines.ts";
import { type Cents, cents, subtract, sum } from "../../../kernel/money.ts";
import type { ComparisonBill, ComparisonLine, ExternalPeriod } from "../types.ts";

/** Why the other platform billed another amount than the service would have billed. */
export const DIFFERENCE_REASONS = {
  none: "Both amounts are the same.",
  not_reported: "The platform did not report what it billed.",
  trial: "The platform billed a trial, which is free here.",
  nothing_billed: "The platform billed nothing.",
  vat_left_out: "The amount is that without VAT.",
  vat_on_top: "The amount has VAT on top of prices that include it.",
  full_period: "The platform billed a full period; here a shorter one costs its share of the days.",
  add_ons_left_out: "The amount is that of the plan without its add-ons.",
  rounding: "The platform rounds in another way.",
  price: "The platform has another price, discount or number of units.",
} as const;
export type DifferenceReason = keyof typeof DIFFERENCE_REASONS;

/**
 * The amount that a customer pays more here than at the other platform, in cents with VAT; below zero when less, null
 * when it is not known.
 */
export interface Difference {
  readonly amount: Cents | null;
  readonly reason: DifferenceReason;
}

/** The part of a line's reason, written by the planner of customer subscriptions, that `differenceOf` reads. */
interface LineReason {
  readonly kind: string;
  readonly quantity: ComparisonLine["quantity"];
  readonly unitAmount: ComparisonLine["unitPrice"];
  readonly days: { readonly billed: number; readonly of: number } | null;
}

const reasonOf = ({ reason }: ComparisonLine): LineReason => reason as LineReason;

/** With VAT on top, as if prices did not include it. */
const withVatOnTop = ({ lines }: ComparisonBill, unit: Unit): Cents =>
  sum(lines.map(({ amount, taxRate }) => cents(amount + vatOn(amount, taxRate, unit))));

/** For a full period. */
function fullPrice({ lines, taxInclusive }: ComparisonBill, unit: Unit): Cents {
  const full = lines.map((line) => {
    const { quantity, unitAmount } = reasonOf(line);
    return priceLine({ ...line, quantity, unitPrice: unitAmount }, taxInclusive, unit);
  });
  return totalsOf(full, taxInclusive).total;
}

/** The price of the plan without add-ons. */
const planPrice = ({ lines, taxInclusive }: ComparisonBill): Cents =>
  totalsOf(
    lines.filter((line) => reasonOf(line).kind === "plan"),
    taxInclusive,
  ).total;

const isShortened = ({ lines }: ComparisonBill): boolean =>
  lines.some((line) => {
    const { days } = reasonOf(line);
    return days !== null && days.billed < days.of;
  });

/** Why the amounts differ: the first explanation that gives the other platform's amount to the currency's unit. */
function explained(
  { status, comparison }: Pick<ExternalPeriod, "status" | "comparison">,
  billed: Cents,
  unit: Unit,
): DifferenceReason {
  if (status === "trialing") return "trial";
  if (billed === 0) return "nothing_billed";
  if (!comparison.taxInclusive && billed === comparison.subtotal) return "vat_left_out";
  if (comparison.taxInclusive && billed === withVatOnTop(comparison, unit)) return "vat_on_top";
  if (isShortened(comparison) && billed === fullPrice(comparison, unit)) return "full_period";
  if (billed === planPrice(comparison)) return "add_ons_left_out";
  return Math.abs(billed - comparison.total) <= comparison.lines.length * unit ? "rounding" : "price";
}

/** The amount that the service would have billed minus the amount that the other platform has billed, and why they differ. */
export function differenceOf(
  period: Pick<ExternalPeriod, "status" | "comparison" | "billed">,
  currency: string,
): Difference {
  const { billed, comparison } = period;
  if (billed === null) return { amount: null, reason: "not_reported" };
  const amount = subtract(comparison.total, billed);
  return { amount, reason: amount === 0 ? "none" : explained(period, billed, unitOf(currency)) };
}
