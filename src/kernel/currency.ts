const known = new Map<string, number>();

/** The number of decimals that amounts in a currency have (ISO 4217): 2 for ZAR, none for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  const found = known.get(currency);
  if (found !== undefined) return found;
  if (!/^[A-Z]{3}$/.test(currency)) return 2;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  known.set(currency, maximumFractionDigits);
  return maximumFractionDigits;
}

/**
 * The smallest amount in a currency, in cents: 100 where it has no decimals, else 1. Amounts are rounded to it
 * (interface 16.1).
 */
export const unitOf = (currency: string): Unit => (decimalsOf(currency) === 0 ? 100 : 1);

/** In cents. */
export type Unit = 1 | 100;

/** The most decimals of an amount in a currency: its own, and at most the two that whole cents hold. */
const decimalsHeld = (currency: string): number => Math.min(2, decimalsOf(currency));

/** Why an amount, as decimal text in major units, is none in a currency; null when it is one. */
export function notAnAmountIn(currency: string, amount: string): string | null {
  const decimals = decimalsOf(currency);
  const given = (amount.split(".")[1] ?? "").replace(/0+$/, "").length;
  if (decimals === 2 || given <= decimalsHeld(currency)) return null;
  return decimals < 2
    ? `must be whole: ${currency} has no cents`
    : `must have at most 2 decimals: the third one of ${currency} cannot be kept`;
}
