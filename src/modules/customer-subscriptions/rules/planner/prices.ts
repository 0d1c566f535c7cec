import type { Days, Part, Reduction } from "../../../../domain/line-reason.ts";
import { type Unit, unitOf } from "../../../../kernel/currency.ts";
import { type Decimal, decimalOf, toDecimal } from "../../../../kernel/decimal.ts";
import { exemption } from "../../../../kernel/exemption.ts";
import { lineAmount, priceLine, type Totals, totalsOf, vatOn, vatWithin } from "../../../../kernel/lines.ts";
import { type Cents, cents, roundFraction, subtract, sum, toDecimalText, ZERO } from "../../../../kernel/money.ts";
import { partsOf, withMinimum } from "../../../../kernel/tiers.ts";
import { type CalendarDay, daysBetween } from "../../../../kernel/time.ts";
import type { AmountOff, Charge, PercentOff, Period, Price, PriceInForce, Terms, VatTerms } from "./types.ts";

const ONE = "1" as Decimal;

/**
 * The parts of a plan: beside tiers its amount is due once, whatever the quantity, and the tiers price the quantity. A
 * minimum is of what the quantity costs.
 */
function planParts({ price, quantity }: Terms): readonly Part[] {
  const { id, name, tiering, amount } = price;
  const base = { kind: "plan", id, name } as const;
  const unitAmount = decimalOf(toDecimalText(amount));
  const priced = withMinimum(partsOf(toDecimal(quantity), unitAmount, tiering), tiering, unitOf(price.currency));
  const units = priced.map((of): Part => ({ ...base, ...of }));
  return tiering?.tiers && amount > 0 ? [{ ...base, quantity: ONE, unitAmount }, ...units] : units;
}

/**
 * The recurring parts of a price: the plan, then the add-ons. A price with tiers has one for each tier that is reached,
 * one with a minimum another for what is missing of it.
 */
export const recurringParts = (terms: Terms): readonly Part[] => [
  ...planParts(terms),
  ...terms.items.flatMap((item) => {
    if (item.kind !== "addon") return [];
    const { kind, id, description: name, quantity, unitAmount, tiering } = item;
    const priced = withMinimum(partsOf(quantity, unitAmount, tiering), tiering, unitOf(terms.price.currency));
    return priced.map((of): Part => ({ kind, id, name, ...of }));
  }),
];

/** The unit of amounts in a price's currency. */
export const unitIn = ({ currency }: Pick<VatTerms, "currency">): Unit =>
  currency === undefined ? 1 : unitOf(currency);

/** The currency, where amounts are not rounded to cents. */
const currencyOf = (of: Pick<VatTerms, "currency">): Pick<VatTerms, "currency"> =>
  of.currency !== undefined && unitIn(of) !== 1 ? { currency: of.currency } : {};

/** A period with the unit of its currency: one that was billed before amounts were rounded to it was stored without. */
export const withUnit = (period: Period | null, price: Pick<Price, "currency">): Period | null =>
  period?.paid ? { ...period, paid: { ...period.paid, ...currencyOf(price) } } : period;

/** The fields of a price in force that come from a price. */
export const inForce = ({ name, frequency, taxRate, taxExempt, taxInclusive, currency }: Price) => ({
  name,
  ...currencyOf({ currency }),
  frequency,
  taxRate,
  ...exemption(taxExempt),
  taxInclusive,
});

/**
 * The price in force in a period that was paid for elsewhere, until `until`: `of` is the number of days of the full
 * period that ends there.
 */
export const heldAsPaid = (terms: Terms, of: number, until: CalendarDay): PriceInForce => ({
  ...inForce(terms.price),
  parts: recurringParts(terms),
  percents: [],
  amountOff: null,
  of,
  until,
});

/** The share of an amount for some of its days, rounded once. */
const shareOf = (amount: Cents, { billed, of }: Days, unit: Unit): Cents =>
  roundFraction(BigInt(amount) * BigInt(billed), BigInt(of), unit);

/** The amounts of a full period after no, one, two … of the percentages; each subtracted amount is rounded. */
function afterEach(amount: Cents, percents: readonly PercentOff[], unit: Unit): readonly Cents[] {
  const left = [amount];
  for (const { percent } of percents) {
    const before = left.at(-1) ?? ZERO;
    left.push(subtract(before, vatOn(before, percent, unit)));
  }
  return left;
}

/** The reductions between each amount and the next one. */
const reductions = (left: readonly Cents[], percents: readonly PercentOff[]): readonly Reduction[] =>
  percents.map((off, index) => ({ ...off, amount: subtract(left[index] ?? ZERO, left[index + 1] ?? ZERO) }));

/**
 * An amount of a full period, reduced by percentages, for some of its days. The result is rounded once: the cost of the
 * full period, shared by days.
 */
export function reducedShare(
  amount: Cents,
  percents: readonly PercentOff[],
  days: Days,
  unit: Unit,
): { readonly full: Cents; readonly less: readonly Reduction[]; readonly amount: Cents } {
  const left = afterEach(amount, percents, unit).map((value) => shareOf(value, days, unit));
  return { full: left[0] ?? ZERO, less: reductions(left, percents), amount: left.at(-1) ?? ZERO };
}

/** An amount of usage, reduced by percentages. */
export function reducedOnce(charge: Charge, percents: readonly PercentOff[], unit: Unit): Charge {
  const left = afterEach(charge.amount, percents, unit);
  const less = [...charge.reason.less, ...reductions(left, percents)];
  return { ...charge, amount: left.at(-1) ?? ZERO, reason: { ...charge.reason, less } };
}

/** The cost of the parts for a full period after 0, 1, 2 … percentages, each part rounded as a line of its bill is. */
function periodSteps(parts: readonly Part[], percents: readonly PercentOff[], unit: Unit): readonly Cents[] {
  const steps = parts.map(({ quantity, unitAmount }) =>
    afterEach(lineAmount(quantity, unitAmount, unit), percents, unit),
  );
  return [null, ...percents].map((_, index) => sum(steps.map((left) => left[index] ?? ZERO)));
}

/** For some days of a price: the share of the amount minus that of the coupon's amount, never below zero, rounded once. */
function worthOf(
  amount: Cents,
  off: Pick<AmountOff, "amount" | "days"> | null,
  { billed, of }: Days,
  unit: Unit,
): Cents {
  const [offAmount, offDays] = off === null ? [0n, 1n] : [BigInt(off.amount), BigInt(off.days)];
  const numerator = BigInt(billed) * (BigInt(amount) * offDays - offAmount * BigInt(of));
  return numerator <= 0n ? ZERO : roundFraction(numerator, BigInt(of) * offDays, unit);
}

/** How many days of the price are left on `today`, today included (interface 16.8); none after the paid days. */
export const daysLeft = ({ until, of }: PriceInForce, today: CalendarDay): Days => ({
  billed: Math.max(0, daysBetween(today, until)),
  of,
});

/**
 * The cost of some days of a price in force, with the reductions in it. Both the credit and the charge of a change are
 * computed with it.
 */
export function costOfDays(
  price: Pick<PriceInForce, "parts" | "percents" | "amountOff" | "taxInclusive" | "currency">,
  days: Days,
): { readonly full: Cents; readonly less: readonly Reduction[]; readonly amount: Cents } {
  const { parts, percents, amountOff, taxInclusive } = price;
  const unit = unitIn(price);
  const steps = periodSteps(parts, percents, unit);
  const left = steps.map((value) => shareOf(value, days, unit));
  const beforeCoupon = left.at(-1) ?? ZERO;
  const off = amountOff?.own
    ? { ...amountOff, amount: restate(amountOff.amount, amountOff.own, { taxInclusive }) }
    : amountOff;
  const amount = worthOf(steps.at(-1) ?? ZERO, off, days, unit);
  const less = reductions(left, percents);
  if (amountOff === null) return { full: left[0] ?? ZERO, less, amount };
  const { couponId: id, code } = amountOff;
  return {
    full: left[0] ?? ZERO,
    less: [...less, { by: "coupon", id, code, percent: null, amount: subtract(beforeCoupon, amount) }],
    amount,
  };
}

/** The terms without rates by day, which follow from the settings. */
export function undated({ price: { datedRates: _, ...price }, ...terms }: Terms): Terms {
  return { ...terms, price };
}

/** Whether VAT has the same rate and place in both terms. */
export const sameVat = (one: VatTerms, other: VatTerms): boolean =>
  one.taxInclusive === other.taxInclusive && one.taxRate === other.taxRate;

/** The terms of VAT alone. */
export const vatTermsOf = ({ taxRate, taxInclusive, ...of }: VatTerms): VatTerms => ({
  taxRate,
  taxInclusive,
  ...currencyOf(of),
});

/** An amount converted from some terms of VAT to others, rounded once: VAT is added or taken out at the rate of `from`. */
export function restate(amount: Cents, from: VatTerms, to: Pick<VatTerms, "taxInclusive">): Cents {
  if (from.taxInclusive === to.taxInclusive) return amount;
  return to.taxInclusive
    ? cents(amount + vatOn(amount, from.taxRate, unitIn(from)))
    : subtract(amount, vatWithin(amount, from.taxRate, unitIn(from)));
}

/** As `restate`, for a rate that changes by law: the amount with VAT stays. */
export function inTermsOf(amount: Cents, from: VatTerms, to: VatTerms): Cents {
  if (from.taxRate === to.taxRate || to.taxInclusive) return restate(amount, from, to);
  const gross = from.taxInclusive ? amount : cents(amount + vatOn(amount, from.taxRate, unitIn(from)));
  return subtract(gross, vatWithin(gross, to.taxRate, unitIn(from)));
}

/**
 * The cost of the terms for a full period, without coupon, discounts and credits; `amount` with VAT when the price
 * includes it, else without.
 */
export function regularPrice(terms: Terms): Totals & { readonly amount: Cents } {
  const { taxRate, taxInclusive } = terms.price;
  const lines = recurringParts(terms).map(({ name, quantity, unitAmount }) =>
    priceLine(
      {
        description: name,
        details: null,
        quantity,
        unitPrice: unitAmount,
        taxRate,
        periodStart: null,
        periodEnd: null,
      },
      taxInclusive,
      unitIn(terms.price),
    ),
  );
  return { ...totalsOf(lines, taxInclusive), amount: sum(lines.map(({ amount }) => amount)) };
}
