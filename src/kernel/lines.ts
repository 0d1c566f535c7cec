import createBig from "big.js";
import { assert } from "./assert.ts";
import { notAnAmountIn, type Unit, unitOf } from "./currency.ts";
import type { Decimal } from "./decimal.ts";
import { type Discount, type Discounted, spreadDiscount, type Taken, type TakenFrom, takenFrom } from "./discounts.ts";
import { invalidField } from "./errors.ts";
import type { Exemption } from "./exemption.ts";
import { type Cents, cents, roundFraction, roundToCents, subtract, sum, toDecimalText, toRand, ZERO } from "./money.ts";
import type { CalendarDay } from "./time.ts";

/** A constructor of our own, set so that its text never has an exponent. */
const Big = createBig();
Big.NE = -40;
Big.PE = 40;

/** A line of an invoice or quote before its price is computed (interface 2.5, 2.6). */
export interface LineItem extends Exemption, Discounted {
  readonly description: string;
  readonly details: string | null;
  readonly quantity: Decimal;
  /** Price of one, in major units: including VAT when the document is tax-inclusive, else excluding it. */
  readonly unitPrice: Decimal;
  /** Percent. */
  readonly taxRate: Decimal;
  readonly periodStart: CalendarDay | null;
  readonly periodEnd: CalendarDay | null;
}

/**
 * Throws 400 at `path` when a period has one date only, or ends before it begins; without both dates it is none
 * (interface 4.5, 4.6).
 */
export function requirePeriod(
  { periodStart, periodEnd }: Pick<LineItem, "periodStart" | "periodEnd">,
  path: readonly (string | number)[],
): void {
  if (periodStart === null && periodEnd === null) return;
  if (periodStart === null || periodEnd === null)
    throw invalidField(
      [...path, periodStart === null ? "periodStart" : "periodEnd"],
      "periodStart and periodEnd go together: send both or neither.",
    );
  if (periodEnd < periodStart) throw invalidField([...path, "periodEnd"], "periodEnd must not be before periodStart.");
}

/**
 * A priced line, in cents: `amount` is what is left after all discounts (`taken`), from which VAT is computed. It
 * includes VAT when the document is tax-inclusive, else excludes it.
 */
export interface PricedLine extends LineItem, TakenFrom {
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

/** What a discount takes off an amount, in cents, rounded once. An amount may be more than there is. */
const discountOn = (amount: Cents, discount: Discount, unit: Unit): Cents =>
  "percent" in discount ? percentOf(amount, discount.percent, unit) : discount.amount;

/** What a line's own discount takes off it. */
const ownDiscount = ({ quantity, unitPrice, discount }: LineItem, unit: Unit): Cents =>
  discount ? discountOn(lineAmount(quantity, unitPrice, unit), discount, unit) : ZERO;

/**
 * Computes amount and VAT of one line, independent of the other lines and their order, but for its `share` of the
 * document's discount.
 */
export function priceLine(item: LineItem & TakenFrom, taxInclusive: boolean, unit: Unit, share = ZERO): PricedLine {
  const { taken: _before, ...line } = item;
  const own = ownDiscount(line, unit);
  const amount = cents(lineAmount(line.quantity, line.unitPrice, unit) - own - share);
  assert(amount >= 0, "discounts take at most what there is");
  const tax = taxInclusive ? vatWithin(amount, line.taxRate, unit) : vatOn(amount, line.taxRate, unit);
  return { ...line, ...takenFrom({ own, share }), amount, tax };
}

/** The largest total of a document, in cents: larger than any payment may be, and small enough that sums stay exact. */
const TOTAL_MAX = cents(1_000_000_000_00);

/** The lines of a document with its totals, and its discount as it was given. */
export interface PricedLines extends Totals {
  readonly lines: readonly PricedLine[];
  readonly discount: Discount | null;
}

/**
 * Prices the lines of a document: off each line its own discount, then off all of them `discount`, the document's, in
 * proportion to their amounts (`spreadDiscount`); VAT is computed from what is left of each. Throws 400
 * `invalid_request` when its total is not above zero (interface 2.5, rule 4) or above `TOTAL_MAX`, when a discount is
 * more than what it is taken from, and when a line or a discount comes to decimals that its currency has not, or that
 * cents cannot hold; `field` is the request's name for the lines.
 */
export function priceLines(
  items: readonly (LineItem & TakenFrom)[],
  taxInclusive: boolean,
  field: "lines" | "lineItems",
  currency = "ZAR",
  discount: Discount | null = null,
): PricedLines {
  const tooMuch = `The total must be at most ${toRand(TOTAL_MAX)}.`;
  for (const [index, { quantity, unitPrice }] of items.entries())
    if (Big(quantity).times(unitPrice).times(100).gt(TOTAL_MAX)) throw invalidField([field, index], tooMuch);
  const unit = unitOf(currency);
  for (const [index, item] of items.entries()) {
    const amount = Big(item.quantity).times(item.unitPrice).toString();
    const why = notAnAmountIn(currency, amount);
    if (why) throw invalidField([field, index], `comes to ${amount}; it ${why}`);
    const from = lineAmount(item.quantity, item.unitPrice, unit);
    requireWithin(item.discount, from, [field, index, "discount"], { what: "line", currency });
  }
  const before = items.map((item) => priceLine(item, taxInclusive, unit));
  const shares = sharesOfDiscount(before, discount, currency);
  const lines = shares ? items.map((item, index) => priceLine(item, taxInclusive, unit, shares[index])) : before;
  const totals = totalsOf(lines, taxInclusive);
  if (totals.total > TOTAL_MAX) throw invalidField([field], tooMuch);
  if (totals.total <= 0) throw invalidField([field], "The total must be greater than 0.");
  return { ...totals, lines, discount };
}

/** The lines' shares of the document's discount; null without one. Throws 400 when it is more than their amounts. */
function sharesOfDiscount(
  lines: readonly PricedLine[],
  discount: Discount | null,
  currency: string,
): readonly Cents[] | null {
  if (discount === null) return null;
  const amounts = lines.map(({ amount }) => amount);
  const [total, unit] = [sum(amounts), unitOf(currency)];
  requireWithin(discount, total, ["discount"], { what: "lines", currency });
  return spreadDiscount(amounts, discountOn(total, discount, unit), unit);
}

/** Throws 400 for an amount that is more than what it is taken from, or none in the currency. */
function requireWithin(
  discount: Discount | undefined,
  from: Cents,
  path: readonly (string | number)[],
  { what, currency }: { readonly what: "line" | "lines"; readonly currency: string },
): void {
  if (!discount || "percent" in discount) return;
  const why = notAnAmountIn(currency, toDecimalText(discount.amount));
  if (why) throw invalidField([...path, "amount"], `It ${why}.`);
  if (discount.amount > from)
    throw invalidField(
      [...path, "amount"],
      `A discount must be at most what it is taken from: the ${what} ${what === "line" ? "comes" : "come"} to ${toRand(from)}.`,
    );
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

/** What is taken off a line without a discount. */
const NOTHING: Taken = { own: ZERO, share: ZERO };

/**
 * The line of a tax-inclusive document as an invoice shows it, without VAT: amount and VAT add up to the gross to the cent
 * (interface 4.6, quotes again). Its unit price times its quantity, less what is taken off it, is its amount, to the cent also where the
 * currency has none. What discounts took is without VAT then; a percentage stays as it was given.
 */
export function netLine(line: PricedLine, unit: Unit = 1): PricedLine {
  const { taken = NOTHING, discount, ...rest } = line;
  const net = (gross: Cents) => subtract(gross, vatWithin(gross, line.taxRate, unit));
  const amount = subtract(line.amount, line.tax);
  const offered = taken.share === 0 ? amount : net(sum([line.amount, taken.share]));
  const full = taken.own === 0 ? offered : net(sum([line.amount, taken.share, taken.own]));
  const own = subtract(full, offered);
  return {
    ...rest,
    ...netDiscount(discount, own),
    ...takenFrom({ own, share: subtract(offered, amount) }),
    unitPrice: netPrice(full, line.quantity),
    amount,
  };
}

/** A discount after VAT was taken out of what it takes: `own`, in cents. Less than a cent is none. */
function netDiscount(discount: Discount | undefined, own: Cents): Discounted {
  if (!discount || "percent" in discount) return discount ? { discount } : {};
  return own === 0 ? {} : { discount: { amount: own } };
}

function netPrice(amount: Cents, quantity: Decimal): Decimal {
  const price = Big(amount).div(100).div(quantity);
  for (let places = 2; places < NET_PRICE_DECIMALS; places++) {
    const unitPrice = price.round(places, Big.roundHalfUp).toString() as Decimal;
    if (lineAmount(quantity, unitPrice, 1) === amount) return unitPrice;
  }
  return price.round(NET_PRICE_DECIMALS, Big.roundHalfUp).toString() as Decimal;
}
