import type { Unit } from "../../kernel/currency.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { type Exemption, exemption } from "../../kernel/exemption.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { CreditNote, CreditNoteStatus } from "./types.ts";

/** The status of a credit note, which follows from its remaining amount (interface 4.14). */
export function statusFor({ amount, remaining }: Pick<CreditNote, "amount" | "remaining">): CreditNoteStatus {
  if (remaining === 0) return "applied";
  return remaining === amount ? "issued" : "partially_applied";
}

/**
 * Divides the remaining amount of a credit note into the part that is applied to an invoice with `due` open, and the
 * rest; both in cents.
 */
export function splitCredit(remaining: Cents, due: Cents): { applied: Cents; remaining: Cents } {
  const applied = cents(Math.min(remaining, due));
  return { applied, remaining: subtract(remaining, applied) };
}

/** What is left to credit of an invoice at one rate of VAT: an amount with VAT, and the VAT in it. */
export interface RateLeft extends Exemption {
  /** Percent. */
  readonly taxRate: Decimal;
  readonly amount: Cents;
  readonly tax: Cents;
}

/** A rate of VAT, and whether the supply is exempt. */
type Rate = Pick<RateLeft, "taxRate" | "taxExempt">;

const isSame = (one: Rate, other: Rate): boolean =>
  one.taxRate === other.taxRate && (one.taxExempt === true) === (other.taxExempt === true);

/** What is left to credit of an invoice's lines after the notes that corrected it, by rate, in the order of the lines; never below zero. */
export function leftByRate(lines: readonly RateLeft[], credited: readonly RateLeft[]): readonly RateLeft[] {
  const rates = lines.filter((line, place) => lines.findIndex((other) => isSame(line, other)) === place);
  return rates.map((rate) => {
    const left = (what: "amount" | "tax") => {
      const of = (all: readonly RateLeft[]) => sum(all.filter((one) => isSame(one, rate)).map((one) => one[what]));
      return cents(Math.max(0, subtract(of(lines), of(credited))));
    };
    return { taxRate: rate.taxRate, ...exemption(rate.taxExempt), amount: left("amount"), tax: left("tax") };
  });
}

/** What is left at a rate that was asked for; a rate of 0 also names supplies that are exempt, where none is zero-rated. */
export const leftAt = (left: readonly RateLeft[], rate: Rate): RateLeft | undefined =>
  left.find((one) => isSame(one, rate)) ??
  (Number(rate.taxRate) === 0 && !rate.taxExempt ? left.find((one) => Number(one.taxRate) === 0) : undefined);

/** An amount with VAT of what is left at a rate, with its VAT: all of what is left has all the VAT that is left, no part has more. */
export const creditAt = ({ taxRate, taxExempt, ...left }: RateLeft, amount: Cents, unit: Unit): RateLeft => ({
  taxRate,
  ...exemption(taxExempt),
  amount,
  tax: amount === left.amount ? left.tax : cents(Math.min(left.tax, vatWithin(amount, taxRate, unit))),
});

/** An amount with VAT, at most what is left, spread over the rates in proportion to what is left of each. */
export function spread(left: readonly RateLeft[], amount: Cents, unit: Unit): readonly RateLeft[] {
  // Amounts that were charged before they were rounded to the currency's unit are given back to the cent.
  const isWhole = [amount, ...left.map((one) => one.amount)].every((one) => one % unit === 0);
  const step = isWhole ? unit : 1;
  const total = BigInt(sum(left.map((one) => one.amount)));
  let until = 0n;
  let given = ZERO;
  return left.flatMap((one) => {
    until += BigInt(one.amount);
    const of = (total === 0n ? 1n : total) * BigInt(step);
    const upTo = cents(Number((BigInt(amount) * until) / of) * step);
    const share = subtract(upTo, given);
    given = upTo;
    return share === 0 ? [] : [creditAt(one, share, unit)];
  });
}
