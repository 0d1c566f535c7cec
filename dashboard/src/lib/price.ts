import { type TypedVat, vatOf } from "./vat.ts";

/** The price of something that is sold, as the API shows it. */
interface Price {
  readonly amount: number;
  readonly currency: string;
  readonly taxRate: number;
  readonly taxExempt?: boolean | undefined;
  readonly taxInclusive: boolean;
}

/** A price while it is typed; an empty field is an empty text. */
export interface TypedPrice extends TypedVat {
  amount: number | string;
  currency: string;
  taxInclusive: boolean;
}

/** The price of something new, with the organisation's VAT rate, in percent. */
export const newPrice = (settings: { readonly vatRate: number; readonly taxInclusivePrices: boolean }): TypedPrice => ({
  amount: "",
  currency: "ZAR",
  taxRate: settings.vatRate,
  taxExempt: false,
  taxInclusive: settings.taxInclusivePrices,
});

/** A price as a form holds it. */
export const typedPrice = ({ amount, currency, taxRate, taxExempt = false, taxInclusive }: Price): TypedPrice => ({
  amount,
  currency,
  taxRate,
  taxExempt,
  taxInclusive,
});

/** A price as it was typed, for a body; `opened` is the one that is edited. */
export const priceOf = ({ amount, currency, taxInclusive, taxRate, taxExempt }: TypedPrice, opened?: Price) => ({
  amount: Number(amount),
  currency,
  taxInclusive,
  ...vatOf({ taxRate, taxExempt }, opened),
});
