import createBig from "big.js";
import { assert } from "./assert.ts";
import { notAnAmountIn, type Unit, unitOf } from "./currency.ts";
import type { Decimal } from "./decimal.ts";
import { invalidField } from "./errors.ts";
import type { Exemption } from "./exemption.ts";
import { type Cents, cents, roundFraction, roundToCents, subtract, sum, toRand } from "./money.ts";
import type { BusinessDay } from "./time.ts";

/** A constructor of our own, set so that its text never has an exponent. */
const Big = createBig();
Big.NE = -40;
Big.PE = 40;

/** A line of an invoice or quote before its price is computed (interface 2.5, 2.6). */
export interface LineItem extends Exemption {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: Decimal;
  /** Price of one, in major units: including VAT when the document is tax-inclusive, else excluding it. */
  readonly unitPrice: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly periodStart: BusinessDay | null;
  readonly periodEnd: BusinessDay | null;
}

/** A priced line, in cents: `amount` includes VAT when the document is tax-inclusive, else excludes it. */
export interface PricedLine extends LineItem {
  readonly amount: Cents;
  readonly tax: Cents;
}

/** Interface 2.5, in cents: `subtotal` excludes VAT, `total` includes it. */
export interface Totals {
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
}

/** An amount in major units to whole units of so many cents, half a unit away from zero. */
const rounded = (amount: InstanceType<typeof Big>, unit: Unit): Cents =>
  unit === 1 ? roundToCents(amount.toString()) : cents(roundToCents(amount.div(unit).toString()) * unit);

/** Quantity × unit price in cents, rounded once to the currency's unit, half of it away from zero (interface 16.1). */
export const lineAmount = (quantity: Decimal, unitPrice: Decimal, unit: Unit): Cents =>
  rounded(Big(quantity).times(unitPrice), unit);

/** A percentage of an amount in cents, rounded once. */
export const percentOf = (amount: Cents, percent: Decimal, unit: Unit): Cents =>
  rounded(Big(amount).times(percent).div(10_000), unit);

/** VAT in cents at `rate` percent on an amount that excludes it, rounded once (interface 2.5, line VAT). */
export const vatOn = (net: Cents, rate: Decimal, unit: Unit): Cents => percentOf(net, rate, unit);

/**
 * VAT in cents contained in an amount that includes it, at `rate` percent, rounded once; the gross amount stays
 * (interface 16.11, inclusive prices).
 */
export function vatWithin(gross: Cents, rate: Decimal, unit: Unit): Cents {
  const scale = 10n ** BigInt((rate.split(".")[1] ?? "").length);
  const part = BigInt(Big(rate).times(scale.toString()).toString());
  const whole = 100n * scale + part;
  assert(gross >= 0, "a line is not below zero");
  return roundFraction(BigInt(gross) * part, whole, unit);
}

/** Computes amount and VAT of one line, independent of the other lines and their order. */
export function priceLine(item: LineItem, taxInclusive: boolean, unit: Unit): PricedLine {
  const amount = lineAmount(item.quantity, item.unitPrice, unit);
  const tax = taxInclusive ? vatWithin(amount, item.taxRate, unit) : vatOn(amount, item.taxRate, unit);
  return { ...item, amount, tax };
}

/** The largest total of a document, in cents: larger than any payment may be, and small enough that sums stay exact. */
const TOTAL_MAX = cents(1_000_000_000_00);

/**
 * Prices the lines of a document. Throws 400 `invalid_request` when its total is not above zero (interface 2.5, rule 4)
 * or above `TOTAL_MAX`, and when a line comes to decimals that its currency has not, or that cents cannot hold; `field`
 * is the request's name for the lines.
 */
export function priceLines(
  items: readonly LineItem[],
  taxInclusive: boolean,
  field: "lines" | "lineItems",
  currency = "ZAR",
): Totals & { readonly lines: readonly PricedLine[] } {
  const tooMuch = `The total must be at most ${toRand(TOTAL_MAX)}.`;
  for (const [index, { quantity, unitPrice }] of items.entries())
    if (Big(quantity).times(unitPrice).times(100).gt(TOTAL_MAX)) throw invalidField([field, index], tooMuch);
  for (const [index, { quantity, unitPrice }] of items.entries()) {
    const amount = Big(quantity).times(unitPrice).toString();
    const why = notAnAmountIn(currency, amount);
    if (why) throw invalidField([field, index], `comes to ${amount}; it ${why}`);
  }
  const lines = items.map((item) => priceLine(item, taxInclusive, unitOf(currency)));
  const totals = totalsOf(lines, taxInclusive);
  if (totals.total > TOTAL_MAX) throw invalidField([field], tooMuch);
  if (totals.total <= 0) throw invalidField([field], "The total must be greater than 0.");
  return { ...totals, lines };
}

/** Interface 2.5, VAT rules 3 and 4: sums over the lines. */
export function totalsOf(lines: readonly Pick<PricedLine, "amount" | "tax">[], taxInclusive: boolean): Totals {
  const amounts = sum(lines.map(({ amount }) => amount));
  const tax = sum(lines.map((line) => line.tax));
  return taxInclusive
    ? { subtotal: subtract(amounts, tax), tax, total: amounts }
    : { subtotal: amounts, tax, total: sum([amounts, tax]) };
}

/** Decimals of a net unit price that is computed from a gross one. */
const NET_PRICE_DECIMALS = 12;

/**
 * The line of a tax-inclusive document as an invoice shows it, without VAT: amount and VAT add up to the gross to the cent
 * (interface 4.6, quotes again). Its unit price times its quantity rounds to its amount, to the cent also where the currency has none.
 */
export function netLine(line: PricedLine): PricedLine {
  const amount = subtract(line.amount, line.tax);
  const price = Big(amount).div(100).div(line.quantity);
  for (let places = 2; places < NET_PRICE_DECIMALS; places++) {
    const unitPrice = price.round(places, Big.roundHalfUp).toString() as Decimal;
    if (lineAmount(line.quantity, unitPrice, 1) === amount) return { ...line, unitPrice, amount };
  }
  return { ...line, unitPrice: price.round(NET_PRICE_DECIMALS, Big.roundHalfUp).toString() as Decimal, amount };
}
