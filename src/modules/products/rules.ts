import { type Decimal, decimalOf } from "../../kernel/decimal.ts";
import { percentOf, priceLine, type Totals, totalsOf } from "../../kernel/lines.ts";
import { type Cents, cents, subtract, toDecimalText, ZERO } from "../../kernel/money.ts";
import type { Product } from "./types.ts";

/** What a coupon takes off a price. */
interface Off {
  /** Null: it takes off an amount. */
  readonly percent: Decimal | null;
  readonly amount: Cents | null;
}

/** The price of a product. `amount` and `discount` are in the product's own terms: with VAT where its price has it, else without. */
export interface ProductPrice extends Totals {
  readonly amount: Cents;
  readonly discount: Cents;
}

/** What one of the product costs; a coupon is taken off before VAT, never below zero (interface 16.12). */
export function priceOfProduct({ amount, taxRate, taxInclusive }: Product, off: Off | null): ProductPrice {
  const discount = off === null ? ZERO : cents(Math.min(amount, taken(amount, off)));
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
  );
  return { ...totalsOf([line], taxInclusive), amount: left, discount };
}

const taken = (of: Cents, { percent, amount }: Off): Cents =>
  percent === null ? (amount ?? ZERO) : percentOf(of, percent);
