import { notAnAmountIn, unitOf } from "./currency.ts";
import { invalidField } from "./errors.ts";
import { type Cents, toDecimalText } from "./money.ts";

/** Whether an amount is a part of its currency's unit, such as 0.5 JPY. */
export const isBelowUnit = (currency: string, amount: Cents): boolean => amount % unitOf(currency) !== 0;

/**
 * Throws 400 for an amount that is a part of its currency's unit, for bodies that do not name the currency. What it is
 * a part of may have such parts itself, from before amounts were rounded to the unit; then it may too.
 */
export function requireWhole(
  currency: string,
  amount: Cents,
  path: readonly (string | number)[],
  of: Cents | null = null,
): void {
  const why = notAnAmountIn(currency, toDecimalText(amount));
  if (why && (of === null || !isBelowUnit(currency, of))) throw invalidField(path, `It ${why}.`);
}
