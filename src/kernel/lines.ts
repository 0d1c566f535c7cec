import createBig from "big.js";
import { assert } from "./assert.ts";
import type { Decimal } from "./decimal.ts";
import { invalidField } from "./errors.ts";
import { type Cents, cents, roundToCents, subtract, sum, toRand } from "./money.ts";
import type { BusinessDay } from "./time.ts";

/** Our own constructor, whose text never has an exponent. */
const Big = createBig();
Big.NE = -40;
Big.PE = 40;

/** What a line of an invoice or a quote says before it is priced (interface 2.5, 2.6). */
export interface LineItem {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: Decimal;
  /** Of one, in major units: with VAT when the document is tax-inclusive, else without. */
  readonly unitPrice: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly periodStart: BusinessDay | null;
  readonly periodEnd: BusinessDay | null;
}

/** A line with its money: `amount` is with VAT when the document is tax-inclusive, else without. */
export interface PricedLine extends LineItem {
  readonly amount: Cents;
  readonly tax: Cents;
}

/** Interface 2.5: `subtotal` without VAT, and with it `total`. */
export interface Totals {
  readonly subtotal: Cents;
  readonly tax: Cents;
  readonly total: Cents;
}

/** Quantity × unit price in cents, rounded once, half a cent away from zero (interface 16.1). */
export const lineAmount = (quantity: Decimal, unitPrice: Decimal): Cents =>
  roundToCents(Big(quantity).times(unitPrice).toString());

/** VAT at `rate` percent on an amount without it, rounded once (interface 2.5, line VAT). */
export const vatOn = (net: Cents, rate: Decimal): Cents => roundToCents(Big(net).times(rate).div(10_000).toString());

/** VAT at `rate` percent inside an amount with it, rounded once: the gross never moves (interface 16.11, inclusive prices). */
export function vatWithin(gross: Cents, rate: Decimal): Cents {
  const scale = 10n ** BigInt((rate.split(".")[1] ?? "").length);
  const part = BigInt(Big(rate).times(scale.toString()).toString());
  const whole = 100n * scale + part;
  assert(gross >= 0, "a line is not below zero");
  return Number((2n * BigInt(gross) * part + whole) / (2n * whole)) as Cents;
}

/** Prices a line by itself: nothing depends on the lines beside it or on their order. */
export function priceLine(item: LineItem, taxInclusive: boolean): PricedLine {
  const amount = lineAmount(item.quantity, item.unitPrice);
  return { ...item, amount, tax: taxInclusive ? vatWithin(amount, item.taxRate) : vatOn(amount, item.taxRate) };
}

/** What a document comes to at most, in cents: more than any payment of it may be, and far from where sums lose cents. */
const TOTAL_MAX = cents(1_000_000_000_00);

/**
 * Prices the lines of a document. Throws 400 `invalid_request` when its total is not above zero (interface 2.5, rule 4) or past what a
 * document may come to; `field` is what the request calls the lines.
 */
export function priceLines(
  items: readonly LineItem[],
  taxInclusive: boolean,
  field: "lines" | "lineItems",
): Totals & { readonly lines: readonly PricedLine[] } {
  const tooMuch = `The total must be at most ${toRand(TOTAL_MAX)}.`;
  for (const [index, { quantity, unitPrice }] of items.entries())
    if (Big(quantity).times(unitPrice).times(100).gt(TOTAL_MAX)) throw invalidField([field, index], tooMuch);
  const lines = items.map((item) => priceLine(item, taxInclusive));
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

/** How exact a net unit price is shown when it was worked out of a gross one. */
const NET_PRICE_DECIMALS = 12;

/**
 * The line of a tax-inclusive document as an invoice shows it, without VAT: amount and VAT add up to the gross to the cent
 * (interface 4.6, quotes again). Its unit price times its quantity rounds to its amount.
 */
export function netLine(line: PricedLine): PricedLine {
  const amount = subtract(line.amount, line.tax);
  const price = Big(amount).div(100).div(line.quantity);
  for (let places = 2; places < NET_PRICE_DECIMALS; places++) {
    const unitPrice = price.round(places, Big.roundHalfUp).toString() as Decimal;
    if (lineAmount(line.quantity, unitPrice) === amount) return { ...line, unitPrice, amount };
  }
  return { ...line, unitPrice: price.round(NET_PRICE_DECIMALS, Big.roundHalfUp).toString() as Decimal, amount };
}
