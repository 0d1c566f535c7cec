import type { Unit } from "./currency.ts";
import type { Decimal } from "./decimal.ts";
import { type Cents, cents, roundFraction, subtract, sum, ZERO } from "./money.ts";

/**
 * A discount as it is given (interface 2.5, `discount`): a part in percent, or an amount in cents, in the terms of the
 * prices: with VAT where these include it.
 */
export type Discount = { readonly percent: Decimal } | { readonly amount: Cents };

/** A line or a document that may have a discount; the field is left out of what has none. */
export interface Discounted {
  readonly discount?: Discount;
}

/** The field `discount`, to be spread into a line; nothing without one. */
export const discounted = (discount: Discount | null): Discounted => (discount ? { discount } : {});

/**
 * What was taken off a line, in cents and in the terms of its price: by its own discount, and as its share of the
 * document's (decisions.md#lines-keep-what-is-left).
 */
export interface Taken {
  readonly own: Cents;
  readonly share: Cents;
}

/** A line from which something may have been taken; the field is left out of a line from which nothing was. */
export interface TakenFrom {
  readonly taken?: Taken;
}

/** The field `taken`, to be spread into a line; nothing when nothing was taken. */
export const takenFrom = (taken: Taken): TakenFrom => (taken.own === 0 && taken.share === 0 ? {} : { taken });

/** A line's amount after its own discount and before the document's, as the API and documents show it. */
export const amountShown = ({ amount, taken }: TakenFrom & { readonly amount: Cents }): Cents =>
  taken ? sum([amount, taken.share]) : amount;

/** What the document's discount took off all lines. */
export const sharesOf = (lines: readonly TakenFrom[]): Cents => sum(lines.map(({ taken }) => taken?.share ?? ZERO));

/** What all discounts took off (interface 2.5, `discountTotal`); null when there is no discount. */
export function discountTotal(document: {
  readonly discount: Discount | null;
  readonly lines: readonly (Discounted & TakenFrom)[];
}): Cents | null {
  if (document.discount === null && !document.lines.some(({ discount, taken }) => discount ?? taken)) return null;
  return sum([sharesOf(document.lines), ...document.lines.map(({ taken }) => taken?.own ?? ZERO)]);
}

/**
 * A discount spread over amounts in proportion to them, each share rounded to the currency's unit; the last line takes
 * the rest. No line loses more than its amount, so that what the last one has not is taken from lines before it.
 */
export function spreadDiscount(amounts: readonly Cents[], discount: Cents, unit: Unit): readonly Cents[] {
  const total = sum(amounts);
  let left = discount;
  let later = total;
  return amounts.map((amount) => {
    later = subtract(later, amount);
    const share = total === 0 ? ZERO : roundFraction(BigInt(discount) * BigInt(amount), BigInt(total), unit);
    const taken = cents(Math.min(amount, left, Math.max(share, left - later)));
    left = subtract(left, taken);
    return taken;
  });
}
