/** VAT of a price: the rate in percent, and whether it is exempt. */
interface Vat {
  readonly taxRate: number;
  readonly taxExempt?: boolean | undefined;
}

/** `15 %`, or `Exempt`. */
export const vatInWords = ({ taxRate, taxExempt }: Vat): string => (taxExempt ? "Exempt" : `${taxRate} %`);

/** `15 %, included` in the price, `15 %, added` to it, or `Exempt`; a rate of its own says so. */
export const priceVatInWords = (
  price: Vat & { readonly taxInclusive: boolean; readonly standardRate: boolean },
): string =>
  price.taxExempt
    ? "Exempt"
    : `${vatInWords(price)}, ${price.taxInclusive ? "included" : "added"}${price.standardRate ? "" : ", its own rate"}`;

/**
 * What a form states of the VAT that an amount includes: empty states nothing, `exempt`, or a rate in percent.
 */
export type IncludedVat = "" | "exempt" | `${number}`;

/** The fields of a body. */
export const includedVatOf = (stated: IncludedVat) => {
  if (stated === "") return {};
  return stated === "exempt" ? { taxExempt: true } : { taxRate: Number(stated) };
};

/** `15 %, included`, `Zero-rated` or `Exempt`; null where nothing is stated. */
export function includedVatInWords({ taxRate, taxExempt }: Partial<Vat>): string | null {
  if (taxRate === undefined) return null;
  if (taxRate === 0) return taxExempt ? "Exempt" : "Zero-rated";
  return `${taxRate} %, included`;
}

/** VAT of a price during input; an empty field is an empty text. */
export interface TypedVat {
  taxRate: number | string;
  taxExempt: boolean;
}

/**
 * VAT from a form, for a body; an exempt price has a rate of 0, whatever was entered before. An exemption that is the
 * same as in `opened`, the edited price, is left out: a record without the field does not show it, so the API could not
 * know whether somebody else has set it in the meantime.
 */
export function vatOf({ taxRate, taxExempt }: TypedVat, opened: Partial<Vat> = {}) {
  const mark = taxExempt === (opened.taxExempt ?? false) ? {} : { taxExempt };
  return { taxRate: taxExempt ? 0 : Number(taxRate), ...mark };
}
