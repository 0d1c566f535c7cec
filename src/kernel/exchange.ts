import type { Decimal } from "./decimal.ts";
import { type Cents, roundFraction } from "./money.ts";
import type { CalendarDay } from "./time.ts";

/** How amounts in another currency are reckoned in rand. */
export interface Exchange {
  /** Rand for one unit of the currency; above zero. */
  readonly rate: Decimal;
  /** The day of the rate. */
  readonly date: CalendarDay;
  /** Who published it, such as `SARB`. */
  readonly source: string;
}

/** An amount in rand, rounded once; half a cent away from zero. */
export function inRand(amount: Cents, { rate }: Pick<Exchange, "rate">): Cents {
  const [whole = "0", fraction = ""] = rate.split(".");
  return roundFraction(BigInt(amount) * BigInt(whole + fraction), 10n ** BigInt(fraction.length));
}
