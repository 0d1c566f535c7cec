/** VAT of a price: the rate in percent, and the mark of what is exempt. */
interface Vat {
  readonly taxRate: number;
  readonly taxExempt?: boolean | undefined;
}

/** `15 %`, or `Exempt`. */
export const vatInWords = ({ taxRate, taxExempt }: Vat): string => (taxExempt ? "Exempt" : `${taxRate} %`);

/** `15 %, included` in the price, `15 %, added` to it, or `Exempt`. */
export const priceVatInWords = (price: Vat & { readonly taxInclusive: boolean }): string =>
  price.taxExempt ? "Exempt" : `${vatInWords(price)}, ${price.taxInclusive ? "included" : "added"}`;

/** VAT of a price while it is typed; an empty field is an empty text. */
export interface TypedVat {
  taxRate: number | string;
  taxExempt: boolean;
}

/**
 * VAT as it was typed, for a body; what is exempt has a rate of 0, whatever was typed before. A mark that is as in `opened`, the price that is
 * edited, is left out: a record without the mark does not show it, so that the API could not tell whether somebody else has set it meanwhile.
 */
export function vatOf({ taxRate, taxExempt }: TypedVat, opened: Partial<Vat> = {}) {
  const mark = taxExempt === (opened.taxExempt ?? false) ? {} : { taxExempt };
  return { taxRate: taxExempt ? 0 : Number(taxRate), ...mark };
}
