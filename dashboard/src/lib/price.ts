import { type TypedVat, vatOf } from "./vat.ts";

/** The price of a product or plan, as the API shows it. */
interface Price {
  readonly amount: number;
  readonly currency: string;
  readonly taxRate: number;
  readonly standardRate: boolean;
  readonly taxExempt?: boolean | undefined;
  readonly taxInclusive: boolean;
}

/** A price during input; an empty field is an empty text, and an empty rate the standard rate of each day. */
export interface TypedPrice extends TypedVat {
  amount: number | string;
  currency: string;
  taxInclusive: boolean;
}

/** The price of a new product or plan, which follows the standard rate. */
export const newPrice = (settings: { readonly taxInclusivePrices: boolean }): TypedPrice => ({
  amount: "",
  currency: "ZAR",
  taxRate: "",
  taxExempt: false,
  taxInclusive: settings.taxInclusivePrices,
});

/** A price in a form. */
export const typedPrice = ({
  amount,
  currency,
  taxRate,
  standardRate,
  taxExempt = false,
  taxInclusive,
}: Price): TypedPrice => ({
  amount,
  currency,
  taxRate: standardRate ? "" : taxRate,
  taxExempt,
  taxInclusive,
});

/** A price from a form, for a body; `opened` is the edited one. */
export const priceOf = ({ amount, currency, taxInclusive, taxRate, taxExempt }: TypedPrice, opened?: Price) => ({
  amount: Number(amount),
  currency,
  taxInclusive,
  ...(taxRate === "" && !taxExempt ? { standardRate: true } : vatOf({ taxRate, taxExempt }, opened)),
});
