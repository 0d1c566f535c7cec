import { type Unit, unitOf } from "../../kernel/currency.ts";
import { type Decimal, toDecimal } from "../../kernel/decimal.ts";
import { invalidField } from "../../kernel/errors.ts";
import { type Exemption, exemption, rateAsked } from "../../kernel/exemption.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { type Cents, cents, formatMoney, subtract, sum, ZERO } from "../../kernel/money.ts";
import type { CreditNoteCreateBody } from "./schema.ts";
import type { CreditNote, CreditNoteLine, CreditNoteStatus } from "./types.ts";

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
const leftAt = (left: readonly RateLeft[], rate: Rate): RateLeft | undefined =>
  left.find((one) => isSame(one, rate)) ??
  (Number(rate.taxRate) === 0 && !rate.taxExempt ? left.find((one) => Number(one.taxRate) === 0) : undefined);

/** An amount with VAT of what is left at a rate, with its VAT: all of what is left has all the VAT that is left, no part has more. */
const creditAt = ({ taxRate, taxExempt, ...left }: RateLeft, amount: Cents, unit: Unit): RateLeft => ({
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

/** The amount of an invoice's line with VAT. */
export const grossOf = ({ taxRate, taxExempt, amount, tax }: RateLeft): RateLeft => ({
  taxRate,
  ...exemption(taxExempt),
  amount: sum([amount, tax]),
  tax,
});

/** A credit that is asked for; `amount` in cents, with VAT. */
export type AskedCredit = Omit<CreditNoteCreateBody, "amount"> & { readonly amount: Cents };
type AskedLine = NonNullable<CreditNoteCreateBody["lines"]>[number];

/** The amounts of a note by rate: one rate, or a line for each. */
type Priced = Pick<CreditNote, "taxRate" | "taxExempt" | "lines" | "tax">;

/** The amounts of a credit that corrects no invoice: at the requested rates, else at the standard rate. */
export function credited(body: AskedCredit, standard: Decimal, unit: Unit): Priced {
  const tax = treatmentOf(body, { taxRate: standard });
  if (body.lines === null) return { ...tax, lines: [], tax: vatWithin(body.amount, tax.taxRate, unit) };
  const lines = body.lines.map((line) => {
    const own = treatmentOf(line, tax);
    return {
      description: line.description ?? body.reason,
      ...own,
      amount: line.amount,
      tax: vatWithin(line.amount, own.taxRate, unit),
    };
  });
  return { taxRate: null, lines, tax: sum(lines.map((line) => line.tax)) };
}

/**
 * The amounts of a correction, which credits no more VAT than the invoice charged, and at no other rate. Without lines
 * and rate it is spread over the rates of the invoice; a line without a rate has the note's, else the only one of the
 * invoice, else the standard rate.
 */
export function corrected(body: AskedCredit, left: readonly RateLeft[], standard: Decimal, currency: string): Priced {
  const isGiven = body.taxRate !== null || body.taxExempt !== null;
  const open = left.filter(({ amount }) => amount > 0);
  if (body.lines === null) {
    const asked = treatmentOf(body, { taxRate: standard });
    const parts = isGiven
      ? [creditedAt(left, asked, body.amount, ["amount"], currency)]
      : spread(left, body.amount, unitOf(currency));
    return pricedIn(parts, body.reason);
  }
  const [only] = open;
  const otherwise = treatmentOf(body, open.length === 1 && only ? treatment(only) : { taxRate: standard });
  let rest = left;
  const lines = body.lines.map((line, place) => {
    const part = creditedAt(rest, treatmentOf(line, otherwise), line.amount, ["lines", place, "amount"], currency);
    rest = leftByRate(rest, [part]);
    return { description: line.description ?? body.reason, ...part };
  });
  return withLines(lines);
}

/** One rate of the note, or a line for each. */
export function pricedIn(parts: readonly RateLeft[], description: string): Priced {
  const [only] = parts;
  if (parts.length === 1 && only) return { ...treatment(only), lines: [], tax: only.tax };
  return withLines(parts.map((part) => ({ description, ...part })));
}

const treatment = ({ taxRate, taxExempt }: RateLeft): Treatment => ({ taxRate, ...exemption(taxExempt) });

const withLines = (lines: readonly CreditNoteLine[]): Priced => ({
  taxRate: null,
  lines,
  tax: sum(lines.map(({ tax }) => tax)),
});

/**
 * An amount at one of the invoice's rates. Throws 400 when the invoice does not have that rate, or less is left at it.
 */
function creditedAt(
  left: readonly RateLeft[],
  asked: Treatment,
  amount: Cents,
  path: readonly (string | number)[],
  currency: string,
): RateLeft {
  const found = leftAt(left, asked);
  if (!found) {
    const rates = left.map(({ taxRate, taxExempt }) => (taxExempt ? "exempt" : `${taxRate}\u00a0%`)).join(", ");
    const named = asked.taxExempt ? "nothing that is exempt" : `nothing at ${asked.taxRate}\u00a0%`;
    throw invalidField([...path.slice(0, -1), "taxRate"], `The invoice charged ${named}: its VAT is ${rates}.`);
  }
  if (amount > found.amount)
    throw invalidField(
      path,
      `At ${found.taxRate}\u00a0% at most ${formatMoney(found.amount, currency)} of the invoice is left to credit.`,
    );
  return creditAt(found, amount, unitOf(currency));
}

/** The VAT of an amount: a rate in percent, and whether it is exempt. */
interface Treatment extends Exemption {
  readonly taxRate: Decimal;
}

/** The requested VAT; an absent field is as in `otherwise`. */
function treatmentOf(asked: Pick<AskedLine, "taxRate" | "taxExempt">, otherwise: Treatment): Treatment {
  const rate = rateAsked(asked);
  if (rate !== null) return { taxRate: toDecimal(rate), ...exemption(asked.taxExempt) };
  return asked.taxExempt === null ? otherwise : { taxRate: otherwise.taxRate };
}

/** An invoice that is corrected. */
interface Corrected {
  readonly customerId: string;
  readonly currency: string;
  readonly total: Cents;
  readonly status: string;
}

/**
 * Checks that an invoice may be credited so: all its corrections together credit at most its total. `before` is what was
 * credited of it. Throws 400 (`invalidField`) with what may be credited.
 */
export function checkCorrection(
  body: AskedCredit,
  { customerId, currency, total, status }: Corrected,
  before: Cents,
): void {
  if (status === "draft" || status === "cancelled")
    throw invalidField(["invoiceId"], `The invoice is ${status}: there is nothing to correct.`);
  if (body.customerId !== null && body.customerId !== customerId)
    throw invalidField(["customerId"], "The invoice is another customer's.");
  if (body.currency !== null && body.currency !== currency)
    throw invalidField(["currency"], `The invoice is in ${currency}.`);
  const left = subtract(total, before);
  if (body.amount > left) {
    const came = `The invoice came to ${formatMoney(total, currency)}`;
    const earlier = before === 0 ? "" : `, of which ${formatMoney(before, currency)} was credited before`;
    throw invalidField(
      [body.lines === null ? "amount" : "lines"],
      `${came}${earlier}: the credit must be at most ${formatMoney(left, currency)}.`,
    );
  }
}
