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

/** The rate in percent that a price in a body asks for: 0 when it is exempt, null when it gives none. */
export const rateAsked = ({ taxRate, taxExempt }: AskedTax): number | null => (taxExempt ? 0 : taxRate);

/** The VAT fields of a price in a body; null for a field that was left out. */
interface AskedTax {
  readonly taxRate: number | null;
  readonly taxExempt: boolean | null;
}
