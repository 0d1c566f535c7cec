import { type Unit, unitOf } from "../../kernel/currency.ts";
import { type Decimal, decimalOf } from "../../kernel/decimal.ts";
import { percentOf, priceLine, type Totals, totalsOf } from "../../kernel/lines.ts";
import { type Cents, cents, subtract, toDecimalText, ZERO } from "../../kernel/money.ts";
import type { Product } from "./types.ts";

/** The reduction of a price by a coupon. */
interface Off {
  /** Null: an amount is subtracted. */
  readonly percent: Decimal | null;
  readonly amount: Cents | null;
}

/** The price of a product. `amount` and `discount` are with VAT when the product's price includes it, else without. */
export interface ProductPrice extends Totals {
  readonly amount: Cents;
  readonly discount: Cents;
}

/** The price of one unit of the product; a coupon is subtracted before VAT, never below zero (interface 16.12). */
export function priceOfProduct({ amount, currency, taxRate, taxInclusive }: Product, off: Off | null): ProductPrice {
  const unit = unitOf(currency);
  const discount = off === null ? ZERO : cents(Math.min(amount, taken(amount, off, unit)));
  const left = subtract(amount, discount);
  const line = priceLine(
    {
      description: "",
      details: null,
      quantity: "1" as Decimal,
      unitPrice: decimalOf(toDecimalText(left)),
      taxRate,
      periodStart: null,
      periodEnd: null,
    },
    taxInclusive,
    unit,
  );
  return { ...totalsOf([line], taxInclusive), amount: left, discount };
}

const taken = (of: Cents, { percent, amount }: Off, unit: Unit): Cents =>
  percent === null ? (amount ?? ZERO) : percentOf(of, percent, unit);
