import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { CreditPart } from "./types.ts";

/** The total of the parts, in cents. */
export const totalOf = (parts: readonly CreditPart[]): Cents => sum(parts.map(({ amount }) => amount));

/** Takes `amount` (cents, at most their total) from the parts in their order; each part is used up before the next. */
export function takeFrom(parts: readonly CreditPart[], amount: Cents): CreditPart[] {
  let left = amount;
  return parts.flatMap((part) => {
    const taken = cents(Math.min(left, part.amount));
    left = subtract(left, taken);
    return taken === ZERO ? [] : [{ ...part, amount: taken }];
  });
}
