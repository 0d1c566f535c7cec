import { type Cents, cents, roundToCents } from "../kernel/money.ts";

/** An amount as a gateway reports it: spread into a fact. */
export interface ReportedAmount {
  readonly amount: Cents;
  /** Set when it is no whole number of cents (`facts.ts`). */
  readonly inexactAmount?: string;
}

/** Far above any payment, and far below what a number cannot count. */
const DIGITS_MAX = 12;

/**
 * An amount in major units as decimal text, such as `299.00`, `299` or `-6.90`. Text with more than two decimals that
 * are not zero is rounded and marked inexact. Null for anything else, and above twelve digits before the point.
 */
export function randAmount(text: string): ReportedAmount | null {
  const [, whole = "", fraction = ""] = /^-?(\d+)(?:\.(\d{1,20}))?$/.exec(text) ?? [];
  if (whole === "" || whole.length > DIGITS_MAX) return null;
  return marked(text, roundToCents(text), /^\d{0,2}0*$/.test(fraction));
}

/**
 * An amount in cents, as a number or as text of digits. One with a fraction is cut to whole cents and marked inexact.
 * Null for anything else, and above fourteen digits.
 */
export function centAmount(value: number | string): ReportedAmount | null {
  const text = String(value);
  const [, whole = "", fraction = ""] = /^(-?\d+)(?:\.(\d{1,20}))?$/.exec(text) ?? [];
  if (whole === "" || whole.replace("-", "").length > DIGITS_MAX + 2) return null;
  return marked(text, cents(Number(whole) || 0), /^0*$/.test(fraction));
}

const marked = (text: string, amount: Cents, exact: boolean): ReportedAmount =>
  exact ? { amount } : { amount, inexactAmount: text };
