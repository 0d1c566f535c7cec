import { type Decimal, toDecimal, toNumber } from "./decimal.ts";

/**
 * The mark of a supply that is exempt from VAT (VAT Act, section 12; decisions.md#exempt-is-a-mark). A zero-rated supply (section 11) has
 * a rate of 0 too, and no mark. The field is left out when the supply is not exempt, so that objects and terms stored before the mark
 * existed stay unchanged.
 */
export interface Exemption {
  readonly taxExempt?: true;
}

/** The field `taxExempt`, to be spread into a line or a price; nothing when it is not exempt. */
export const exemption = (exempt: boolean | null | undefined): Exemption => (exempt ? { taxExempt: true } : {});

/**
 * What is stated of the VAT in an amount that includes it: its rate in percent, or that it is exempt. Without either,
 * others decide: the product that is sold, or the settings.
 */
export interface StatedVat {
  readonly taxRate: Decimal | null;
  readonly taxExempt: boolean;
}

/** Nothing is stated. */
export const UNSTATED: StatedVat = { taxRate: null, taxExempt: false };

/** What a body states; a field that was left out is null. */
export const statedVat = ({ taxRate, taxExempt }: AskedTax): StatedVat => ({
  taxRate: taxRate === null || taxExempt ? null : toDecimal(taxRate),
  taxExempt: taxExempt ?? false,
});

/** The fields of a reply; nothing when nothing is stated. What is exempt has a rate of 0. */
export const statedVatFields = ({ taxRate, taxExempt }: StatedVat) => ({
  ...(taxRate === null && !taxExempt ? {} : { taxRate: taxRate === null ? 0 : toNumber(taxRate) }),
  ...exemption(taxExempt),
});

/** The rate in percent that a price in a body asks for: 0 when it is exempt, null when it gives none. */
export const rateAsked = ({ taxRate, taxExempt }: AskedTax): number | null => (taxExempt ? 0 : taxRate);

/** The VAT fields of a price in a body; null for a field that was left out. */
interface AskedTax {
  readonly taxRate: number | null;
  readonly taxExempt: boolean | null;
}
