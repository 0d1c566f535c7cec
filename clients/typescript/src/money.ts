declare const unit: unique symbol;

/** Money as the API has it: a number in major units, 12.5 for R 12.50. Made by `rand` or `cents`, so that no one is taken for the other. */
export type Amount = number & { readonly [unit]: "major" };

/** Unit prices have up to 6 decimals, all else 2. */
const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/;

/**
 * An amount in major units of any currency: `rand("12.50")`, `rand(12.5)`. Throws a RangeError for more than 6
 * decimals, as a sum of numbers like 0.1 + 0.2 has: add amounts with `sum`.
 */
export function rand(value: string | number): Amount {
  const text = typeof value === "number" ? String(value) : value.trim();
  if (!DECIMAL.test(text)) throw new RangeError(`"${text}" is not an amount such as 12.50`);
  return Number(text) as Amount;
}

/** An amount of so many whole cents: `cents(1250)` is R 12.50. Throws a RangeError for a fraction of a cent. */
export function cents(value: number | bigint): Amount {
  const whole = Number(value);
  if (!Number.isSafeInteger(whole)) throw new RangeError(`${value} is not a whole number of cents`);
  return (whole / 100) as Amount;
}

/** The whole cents of an amount: 1250 for R 12.50. Throws a RangeError where there is a fraction of a cent, as a unit price may have. */
export function toCents(amount: Amount): number {
  const match = DECIMAL.exec(String(amount));
  const [, sign = "", whole = "", fraction = ""] = match ?? [];
  if (!match || /[1-9]/.test(fraction.slice(2))) throw new RangeError(`${amount} is not a whole number of cents`);
  const size = Number(whole) * 100 + Number(fraction.padEnd(2, "0").slice(0, 2));
  return sign === "" ? size : -size;
}

/** The sum of amounts, exact to the cent. */
export const sum = (...amounts: readonly Amount[]): Amount =>
  cents(amounts.reduce((total, amount) => total + toCents(amount), 0));
