import { assert } from "./assert.ts";
import { decimalsOf, type Unit } from "./currency.ts";
import { decimalText } from "./decimal.ts";

/** Whole cents. Major units exist only in `fromRand`, `toRand` and `formatMoney` (interface 2.1). */
export type Cents = number & { readonly __unit: "cents" };

/** A whole number of cents that is already exact, such as one read from the database. */
export function cents(value: number): Cents {
  assert(Number.isSafeInteger(value), `not whole cents: ${value}`);
  return value as Cents;
}

export const ZERO = cents(0);

/**
 * Major units to cents; half a cent rounds away from zero (interface 16.1).
 * Works on the shortest decimal text of the number, so 1.005 gives 101 and not 100; `kernel/json.ts`
 * keeps that text as the client wrote it.
 */
export function fromRand(rand: number): Cents {
  return roundToCents(decimalText(rand));
}

/** Decimal text in major units, such as `-12.345`, to cents; half a cent rounds away from zero. */
export function roundToCents(text: string): Cents {
  const match = /^(-?)(\d+)(?:\.(\d*))?$/.exec(text);
  assert(match, `not a decimal: ${text}`);
  const [, sign, whole = "0", fraction = ""] = match;
  const digits = `${fraction}000`;
  const up = digits.charCodeAt(2) >= 53 ? 1 : 0;
  const size = Number(whole) * 100 + Number(digits.slice(0, 2)) + up;
  return cents(sign && size !== 0 ? -size : size);
}

/**
 * `numerator` ÷ `denominator` cents, rounded once to whole units of so many cents, half a unit away from zero: for
 * shares that no decimal text holds, such as 16 of 31 days.
 */
export function roundFraction(numerator: bigint, denominator: bigint, unit: Unit = 1): Cents {
  assert(denominator > 0n, `not a denominator: ${denominator}`);
  const size = numerator < 0n ? -numerator : numerator;
  const whole = denominator * BigInt(unit);
  const rounded = ((2n * size + whole) / (2n * whole)) * BigInt(unit);
  return cents(Number(numerator < 0n ? -rounded : rounded));
}

/** Cents to the JSON number of the API: major units with at most 2 decimals (interface 2.1). */
export function toRand(value: Cents): number {
  return value / 100;
}

/** Decimal text with exactly two places, as gateways and CSV need it: `1234.50`. */
export function toDecimalText(value: Cents): string {
  const size = Math.abs(value);
  return `${value < 0 ? "-" : ""}${Math.trunc(size / 100)}.${String(size % 100).padStart(2, "0")}`;
}

/**
 * For people: `R 1 234.50` for ZAR, `USD 1 234.50` otherwise, with the decimals of the currency: `JPY 1 234`; groups
 * joined by no-break spaces.
 */
export const formatMoney = (value: Cents, currency: string): string => formatPrice(toDecimalText(value), currency);

/** As `formatMoney`, of decimal text in major units, with all its decimals: `R 0.0125`. */
export function formatPrice(price: string, currency: string): string {
  const [whole = "0", fraction = ""] = price.replace("-", "").split(".");
  const decimals = fraction.replace(/0+$/, "").padEnd(decimalsOf(currency), "0");
  const name = currency === "ZAR" ? "R" : currency;
  return `${price.startsWith("-") ? "-" : ""}${name}\u00a0${inGroups(whole)}${decimals && `.${decimals}`}`;
}

/** The digits of a whole number in groups of three, joined by no-break spaces. */
export const inGroups = (whole: string): string => whole.replace(/\B(?=(\d{3})+(?!\d))/g, "\u00a0");

/** Sum of whole cents. */
export const sum = (values: readonly Cents[]): Cents => cents(values.reduce((total, value) => total + value, 0));

/** `a` less `b`; may be below zero. */
export const subtract = (a: Cents, b: Cents): Cents => cents(a - b);
