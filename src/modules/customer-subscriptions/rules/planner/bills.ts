import { unitOf } from "../../../../kernel/currency.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { decimalOf } from "../../../../kernel/decimal.ts";
import { exemption } from "../../../../kernel/exemption.ts";
import { netLine, priceLine, totalsOf } from "../../../../kernel/lines.ts";
import { type Cents, subtract, toDecimalText } from "../../../../kernel/money.ts";
import { takeOff } from "./charges.ts";
import { lastDayOf } from "./periods.ts";
import { restate } from "./prices.ts";
import { byRate } from "./rates.ts";
import type { Bill, BillLine, Charge, Credit, CreditUse, Price, Span } from "./types.ts";
import { detailsWithVat, wordingOf } from "./wording.ts";

const ONE = "1" as Decimal;

/**
 * The line of a charge. One for a share of days, or with reductions, is shown as one unit at its amount, so that
 * quantity times price equals the amount.
 */
function lineOf(charge: Charge, { taxRate, taxExempt, taxInclusive, currency }: Price): BillLine {
  const { reason, amount, start } = charge;
  const { description, details } = wordingOf(reason, currency);
  const isWhole = reason.kind !== "change" && details === null;
  const line = priceLine(
    {
      description,
      details,
      quantity: isWhole ? reason.quantity : ONE,
      unitPrice: isWhole ? (reason.unitAmount as Decimal) : decimalOf(toDecimalText(amount)),
      taxRate,
      ...exemption(taxExempt),
      periodStart: start,
      periodEnd: lastDayOf(charge),
    },
    taxInclusive,
    unitOf(currency),
  );
  return { ...line, reason };
}

/** What is left of a credit after a bill has used a part of it. */
export function leftOf({ own, ...credit }: Credit, amount: Cents, { taxInclusive }: Price): Credit {
  if (own === undefined) return { ...credit, amount };
  return { ...credit, amount, own: { ...own, amount: restate(amount, { ...own, taxInclusive }, own) } };
}

/** Subtracts credits from charges, oldest first. Answers what was used, and what is left. */
function useCredits(
  charges: readonly Charge[],
  credits: readonly Credit[],
  price: Price,
): { readonly charges: readonly Charge[]; readonly used: readonly CreditUse[]; readonly left: readonly Credit[] } {
  let reduced = charges;
  const used: CreditUse[] = [];
  const left: Credit[] = [];
  for (const credit of credits) {
    const { id, description, amount } = credit;
    const after = takeOff(reduced, amount, (taken) => ({ by: "credit", id, description, amount: taken }));
    reduced = after.charges;
    if (after.taken > 0) used.push({ creditId: id, amount: after.taken });
    if (after.taken === 0) left.push(credit);
    else if (after.taken < amount) left.push(leftOf(credit, subtract(amount, after.taken), price));
  }
  return { charges: reduced, used, left };
}

/**
 * Makes a bill of charges: subtracts credits, oldest first, and adds VAT (interface 16.10, 16.11). Also answers the
 * credits that are left.
 */
export function billOf(
  given: Pick<Bill, "kind" | "cycle" | "date"> & Span,
  price: Price,
  charges: readonly Charge[],
  credits: readonly Credit[],
): { readonly bill: Bill; readonly credits: readonly Credit[] } {
  const { kind, cycle, date, start, next } = given;
  const { charges: reduced, used, left } = useCredits(charges, credits, price);
  const lines = reduced.flatMap((charge) => byRate(charge, price, date)).map((one) => lineOf(one.charge, one.price));
  const { currency, taxInclusive } = price;
  const totals = totalsOf(lines, taxInclusive);
  return {
    bill: { kind, cycle, date, start, next, currency, taxInclusive, lines, ...totals, creditsUsed: used },
    credits: left,
  };
}

/** Whether there is an invoice for a bill: its total must be above zero (interface 2.5, rule 4). */
export const isInvoiced = ({ total }: Bill): boolean => total > 0;

/**
 * The lines as an invoice shows them, without VAT; their sum is the bill's total to the cent (interface 16.11). When
 * the price includes VAT, each line explains how its amount follows from that.
 */
export const invoiceLines = ({
  taxInclusive,
  lines,
  currency,
}: Pick<Bill, "taxInclusive" | "lines" | "currency">): readonly BillLine[] =>
  taxInclusive ? lines.map((line) => withoutVat(line, currency)) : lines;

function withoutVat(line: BillLine, currency: string): BillLine {
  const { reason, amount, tax, details } = line;
  const net = netLine(line);
  return {
    ...net,
    reason,
    details: tax === 0 ? details : detailsWithVat(reason, { amount, net: net.amount }, currency),
  };
}
