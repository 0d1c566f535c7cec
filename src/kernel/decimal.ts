import { assert } from "./assert.ts";

/** A number of zero or more as decimal text without an exponent, such as `0.125`: quantities, unit prices and rates (interface 16.1). */
export type Decimal = string & { readonly __unit: "decimal text" };

/** The shortest decimal text of a number. Throws when it is below zero. */
export function toDecimal(value: number): Decimal {
  assert(value >= 0, `below zero: ${value}`);
  return decimalText(value) as Decimal;
}

/** The decimal text of a number; null when it has more than `places` decimals. */
export function decimal(value: number, places: number): Decimal | null {
  const text = toDecimal(value);
  return (text.split(".")[1] ?? "").length <= places ? text : null;
}

/** From PostgreSQL's text of a `numeric`, without trailing zeros. */
export const decimalOf = (text: string): Decimal => (text.includes(".") ? text.replace(/\.?0+$/, "") : text) as Decimal;

/** The JSON number of the API. */
export const toNumber = (value: Decimal): number => Number(value);

/** Shortest decimal text of a number, without an exponent. */
export function decimalText(value: number): string {
  assert(Number.isFinite(value), `not a number: ${value}`);
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = "", first = "", rest = "", exponent = "0"] = match;
  const digits = first + rest;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.slice(0, point).padEnd(point, "0")}.${digits.slice(point)}`;
}

const placesOf = (text: string): number => (text.split(".")[1] ?? "").length;

/** Two numbers as whole numbers of the same unit, which is the last of so many decimals. */
function inOneUnit(one: Decimal, other: Decimal): { readonly a: bigint; readonly b: bigint; readonly places: number } {
  const places = Math.max(placesOf(one), placesOf(other));
  const whole = (text: string) => BigInt(text.replace(".", "") + "0".repeat(places - placesOf(text)));
  return { a: whole(one), b: whole(other), places };
}

function fromUnits(value: bigint, places: number): Decimal {
  const digits = String(value).padStart(places + 1, "0");
  return places === 0 ? (digits as Decimal) : decimalOf(`${digits.slice(0, -places)}.${digits.slice(-places)}`);
}

/** The sum of two. */
export function addDecimals(one: Decimal, other: Decimal): Decimal {
  const { a, b, places } = inOneUnit(one, other);
  return fromUnits(a + b, places);
}

/** What is left of `one` without `other`; zero when that is more. */
export function lessDecimal(one: Decimal, other: Decimal): Decimal {
  const { a, b, places } = inOneUnit(one, other);
  return fromUnits(a > b ? a - b : 0n, places);
}

/** Whether `one` is more than `other`. */
export function isMoreDecimal(one: Decimal, other: Decimal): boolean {
  const { a, b } = inOneUnit(one, other);
  return a > b;
}

/** How many of `size`, which is above zero, it takes to hold `amount`: the last one may be begun only. */
export function begunOf(amount: Decimal, size: Decimal): Decimal {
  const { a, b } = inOneUnit(amount, size);
  assert(b > 0n, "a size is above zero");
  return fromUnits((a + b - 1n) / b, 0);
}
