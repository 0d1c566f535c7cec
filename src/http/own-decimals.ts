import { notAnAmountIn } from "../kernel/currency.ts";
import { decimalText } from "../kernel/decimal.ts";

/** The fields of bodies that hold an amount in the currency beside them, or in that of the enclosing object. */
const AMOUNTS = new Set(["amount", "setupFee"]);

interface Found {
  readonly path: (string | number)[];
  readonly message: string;
}

/** The amounts of a body that have more decimals than their currency, such as 10.5 beside `JPY` (interface 2.1). */
export function notInCurrency(body: unknown, around: string | null, path: (string | number)[]): Found[] {
  if (Array.isArray(body)) return body.flatMap((one, place) => notInCurrency(one, around, [...path, place]));
  if (typeof body !== "object" || body === null) return [];
  const fields = body as Readonly<Record<string, unknown>>;
  const { currency } = fields;
  const own = typeof currency === "string" ? currency.trim().toUpperCase() : around;
  return Object.entries(fields).flatMap(([name, value]) => {
    if (name === "metadata") return [];
    if (typeof value !== "number") return notInCurrency(value, own, [...path, name]);
    const message = own !== null && AMOUNTS.has(name) ? notAnAmountIn(own, decimalText(value)) : null;
    return message === null ? [] : [{ path: [...path, name], message }];
  });
}
