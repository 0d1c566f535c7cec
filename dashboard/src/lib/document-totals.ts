import { decimalsOf } from "./money.ts";

/** A discount during input; an empty field is an empty text, and no discount. */
export interface TypedDiscount {
  discount: number | string;
  discountIn: "percent" | "amount";
}

/** A discount as the API takes and shows it. */
export type Discount = { readonly percent: number } | { readonly amount: number };

/** No discount. */
export const NO_DISCOUNT: TypedDiscount = { discount: "", discountIn: "percent" };

/** A discount of the API in a form. */
export function typedDiscount(given: Discount | undefined): TypedDiscount {
  if (!given) return NO_DISCOUNT;
  return "percent" in given
    ? { discount: given.percent, discountIn: "percent" }
    : { discount: given.amount, discountIn: "amount" };
}

/** A discount of a form in a body: null for none. */
export function discountOf({ discount, discountIn }: TypedDiscount) {
  if (discount === "") return null;
  return discountIn === "percent" ? { percent: Number(discount) } : { amount: Number(discount) };
}

/** The price of a line during input. */
export interface PricedInput {
  readonly quantity: number | string;
  /** In the terms of the document: with VAT when it is tax-inclusive. */
  readonly unitPrice: number | string;
  /** Percent; 0 of what is exempt. */
  readonly taxRate: number;
  readonly discount: Discount | null;
}

/** Totals of a document in whole cents, as the API computes them (interface 2.5, VAT and discounts). */
export interface DocumentTotals {
  /** Without VAT, after all discounts. */
  readonly subtotal: number;
  /** In the terms of the prices. */
  readonly discountTotal: number;
  readonly tax: number;
  readonly total: number;
  /** The amounts of the lines after their own discounts. */
  readonly amounts: readonly number[];
}

/** Numbers of the API have at most 6 decimals: millionths hold them exactly. Zero for what is no number, or below zero. */
const MILLION = 1_000_000n;
function millionths(value: number | string): bigint {
  const number = Number(value);
  return number > 0 && number < 1e15 ? BigInt(number.toFixed(6).replace(".", "")) : 0n;
}

/** A fraction of cents, rounded to whole units of so many cents, half a unit up. */
const rounded = (numerator: bigint, denominator: bigint, unit: bigint): bigint =>
  ((2n * numerator + denominator * unit) / (2n * denominator * unit)) * unit;

/** The smallest of some numbers, which `Math.min` does not take. */
const least = (first: bigint, ...others: readonly bigint[]): bigint =>
  others.reduce((one, other) => {
    if (other < one) return other;
    return one;
  }, first);
const sum = (values: readonly bigint[]): bigint => values.reduce((one, other) => one + other, 0n);

/** What a discount takes off an amount, at most all of it. */
function taken(amount: bigint, discount: Discount | null, unit: bigint): bigint {
  if (discount === null) return 0n;
  const off =
    "percent" in discount
      ? rounded(amount * millionths(discount.percent), 100n * MILLION, unit)
      : rounded(millionths(discount.amount) * 100n, MILLION, unit);
  return least(off, amount);
}

/** A document's discount spread over its lines in proportion to their amounts; the last one takes the rest. */
function spread(amounts: readonly bigint[], discount: bigint, unit: bigint): readonly bigint[] {
  const total = sum(amounts);
  let left = discount;
  let later = total;
  return amounts.map((amount) => {
    later -= amount;
    const share = total === 0n ? 0n : rounded(discount * amount, total, unit);
    // What the later lines have not is taken here.
    const own = least(amount, left, -least(-share, later - left));
    left -= own;
    return own;
  });
}

/**
 * The totals of lines during input, in whole cents and by the API's own rules, so that a form shows what will be
 * charged. A field without a usable number counts as zero; a discount takes at most what there is.
 */
export function documentTotals(
  lines: readonly PricedInput[],
  { inclusive, discount, currency }: { inclusive: boolean; discount: Discount | null; currency: string },
): DocumentTotals {
  const unit = decimalsOf(currency) === 0 ? 100n : 1n;
  const full = lines.map(({ quantity, unitPrice }) =>
    rounded(millionths(quantity) * millionths(unitPrice) * 100n, MILLION * MILLION, unit),
  );
  const own = lines.map((line, at) => taken(full[at] ?? 0n, line.discount, unit));
  const amounts = full.map((amount, at) => amount - (own[at] ?? 0n));
  const off = taken(sum(amounts), discount, unit);
  const left = spread(amounts, off, unit).map((share, at) => (amounts[at] ?? 0n) - share);
  const tax = sum(
    lines.map(({ taxRate }, at) => {
      const rate = millionths(taxRate);
      return rounded((left[at] ?? 0n) * rate, 100n * MILLION + (inclusive ? rate : 0n), unit);
    }),
  );
  const net = inclusive ? sum(left) - tax : sum(left);
  return {
    subtotal: Number(net),
    discountTotal: Number(sum(own) + off),
    tax: Number(tax),
    total: Number(net + tax),
    amounts: amounts.map(Number),
  };
}
