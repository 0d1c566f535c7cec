import type { Days, LateUsage, LineReason, Reduction, SignedDecimal } from "../../../../domain/line-reason.ts";
import { type Unit, unitOf } from "../../../../kernel/currency.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { lineAmount } from "../../../../kernel/lines.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../../../kernel/money.ts";
import { type OfMinimum, type OfTier, partsOf, withMinimum } from "../../../../kernel/tiers.ts";
import type { CalendarDay } from "../../../../kernel/time.ts";
import { couponInForce, percentsInForce } from "./coupons.ts";
import { inForce, recurringParts, reducedOnce, reducedShare, unitIn } from "./prices.ts";
import type {
  AmountOff,
  Charge,
  Item,
  Metered,
  OneTime,
  PercentOff,
  Price,
  PriceInForce,
  Span,
  Subscription,
} from "./types.ts";
import { daysOfMinimum, isMetered } from "./usage.ts";

/** Subtracts an amount from charges, in their order, none of them below zero. Answers how much was subtracted. */
export function takeOff(
  charges: readonly Charge[],
  amount: Cents,
  reduction: (taken: Cents) => Reduction,
  mayTake: (charge: Charge) => boolean = () => true,
): { readonly charges: readonly Charge[]; readonly taken: Cents } {
  let left = amount;
  const reduced = charges.map((charge) => {
    const taken = cents(Math.min(left, charge.amount));
    if (taken <= 0 || !mayTake(charge)) return charge;
    left = subtract(left, taken);
    const reason = { ...charge.reason, less: [...charge.reason.less, reduction(taken)] };
    return { ...charge, amount: subtract(charge.amount, taken), reason };
  });
  return { charges: reduced, taken: subtract(amount, left) };
}

const ONCE: Days = { billed: 1, of: 1 };

/** What is charged once, whatever the days. */
interface Once {
  readonly kind: "usage" | "one_time" | "setup_fee";
  readonly id: string;
  readonly name: string;
  readonly quantity: Decimal;
  readonly unitAmount: SignedDecimal;
  readonly tier?: OfTier;
  readonly minimum?: OfMinimum;
  readonly late?: LateUsage;
}

/** A charge that does not depend on days, reduced by percents. */
export function chargeOnce(what: Once, { start, next }: Span, percents: readonly PercentOff[], unit: Unit): Charge {
  const full = lineAmount(what.quantity, what.unitAmount as Decimal, unit);
  const { amount, ...why } = reducedShare(full, percents, ONCE, unit);
  return { start, next, amount, reason: { ...what, days: null, ...why } };
}

/** The plan under which usage was recorded. */
export type PlanOfUsage = Pick<Price, "planId" | "currency">;

/**
 * The charges for usage until a day (null: all of the period) under a plan, at the items' unit amounts, and for what it
 * is short of their minimums. What reduces them is subtracted by their bill.
 */
export function usageCharges(
  sub: Pick<Subscription, "period" | "awaiting" | "cyclesBilled">,
  items: readonly Item[],
  { planId, currency }: PlanOfUsage,
  until: CalendarDay | null,
): readonly Charge[] {
  const { period } = sub;
  if (period === null) return [];
  const unit = unitOf(currency);
  const charge = (what: Once): Charge => ({ ...chargeOnce(what, period, [], unit), usageOf: planId });
  return items.filter(isMetered).flatMap((item) => usageOf(item, unit, daysOfMinimum(sub, item, until)).map(charge));
}

/** Charges of usage, reduced as the charges of the plans that they were recorded under. */
export const reducedUsage = (sub: Reducible, usage: readonly Charge[]): readonly Charge[] =>
  usage.map((charge) => reducedOnce(charge, percentsInForce(sub, charge.usageOf), unitIn(sub.terms.price)));

/**
 * What of the usage of an item is charged: of one with tiers, each tier; and what it is short of the minimum of some
 * days. The first says what of it is late.
 */
function usageOf(item: Metered, unit: Unit, days: Days | null): readonly Once[] {
  const { id, description: name, usage, unitAmount, tiering, counting } = item;
  const used = partsOf(usage, unitAmount, tiering);
  return (days ? withMinimum(used, tiering, unit, days) : used).map((of, place) => {
    const late = place === 0 && counting?.late ? { late: counting.late } : {};
    return { kind: "usage", id, name, ...of, ...late };
  });
}

/** The charge of a positive one-time item, made with the bill of a period. */
export const oneTimeCharge = (
  { id, description, quantity, unitAmount }: OneTime,
  span: Span,
  percents: readonly PercentOff[],
  unit: Unit,
): Charge => chargeOnce({ kind: "one_time", id, name: description, quantity, unitAmount }, span, percents, unit);

/** Charges, and what reduces them. */
type Reducible = Pick<Subscription, "terms" | "coupon" | "discounts">;

/** Charges of usage that no period follows, with coupon and discounts. */
export const chargesAtEnd = (sub: Reducible, usage: readonly Charge[]): readonly Charge[] =>
  takeCoupon(sub, reducedUsage(sub, usage), 0, 1).charges;

/**
 * The part of a coupon's amount that is subtracted from the charges, and the part of that on the first `recurring`
 * charges, which a later change has to consider.
 */
function takeCoupon(
  sub: Reducible,
  charges: readonly Charge[],
  recurring: number,
  days: number,
): { readonly charges: readonly Charge[]; readonly amountOff: AmountOff | null } {
  const coupon = couponInForce(sub);
  if (coupon === null || !("amount" in coupon.off)) return { charges, amountOff: null };
  const { id, code, off } = coupon;
  const after = takeOff(
    charges,
    off.amount,
    (amount) => ({ by: "coupon", id, code, percent: null, amount }),
    ({ usageOf: planId }) => planId === undefined || couponInForce(sub, planId) !== null,
  );
  const total = (all: readonly Charge[]) => sum(all.slice(0, recurring).map(({ amount }) => amount));
  const amount = subtract(total(charges), total(after.charges));
  return { charges: after.charges, amountOff: amount === ZERO ? null : { couponId: id, code, amount, days } };
}

/**
 * The charges of a period: the plan and its add-ons for its days, then `once`, with coupon and discounts and before
 * credits. Also the price that is in force for the rest of the period.
 */
export function chargesOfPeriod(
  sub: Reducible,
  { start, next, billed, of }: Span & Days,
  once: readonly Charge[],
): { readonly charges: readonly Charge[]; readonly paid: PriceInForce } {
  const { price } = sub.terms;
  const parts = recurringParts(sub.terms);
  const percents = percentsInForce(sub);
  const unit = unitIn(price);
  const recurring = parts.map((part) => {
    const { amount, ...why } = reducedShare(
      lineAmount(part.quantity, part.unitAmount, unit),
      percents,
      { billed, of },
      unit,
    );
    return { start, next, amount, reason: { ...part, days: { billed, of }, ...why } satisfies LineReason };
  });
  const { charges, amountOff } = takeCoupon(sub, [...recurring, ...once], recurring.length, billed);
  return { charges, paid: { ...inForce(price), parts, percents, amountOff, of, until: next } };
}
