/**
 * Whether what is sold is exempt from VAT (VAT Act, section 12), where zero-rated supplies (section 11) bear a rate of 0 too. What is not exempt
 * has no mark, so that objects and stored terms without it stay as they are.
 */
export interface Exemption {
  readonly taxExempt?: true;
}

/** The mark, to be spread into what bears it. */
export const exemption = (exempt: boolean | null | undefined): Exemption => (exempt ? { taxExempt: true } : {});

/** The rate in percent of a price that gives one, or none (null), and may be marked: what is exempt has a rate of 0. Null: none was given. */
export const rateAsked = ({ taxRate, taxExempt }: AskedTax): number | null => (taxExempt ? 0 : taxRate);

/** VAT of a price as a body gives it; what it left out is null. */
interface AskedTax {
  readonly taxRate: number | null;
  readonly taxExempt: boolean | null;
}
