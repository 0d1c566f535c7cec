import { type Cents, roundToCents } from "../kernel/money.ts";

/**
 * An amount in major units as gateways write it (`299.00`, `5`, `-6.85`), exactly; null for any other text, a part of a cent included.
 * Never through a binary float: 19.99, 4.35, 1.15 and 0.29 go wrong there.
 */
export function amountFromText(text: string): Cents | null {
  return /^-?\d{1,13}(\.\d{1,2}0*)?$/.test(text) ? roundToCents(text) : null;
}
