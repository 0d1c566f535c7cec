import type { Decimal } from "../kernel/decimal.ts";
import type { PricedLine, Totals } from "../kernel/lines.ts";
import { type Cents, subtract, toDecimalText, ZERO } from "../kernel/money.ts";
import { type BusinessDay, businessDay } from "../kernel/time.ts";
import type { CreditNote } from "../modules/credit-notes/types.ts";
import { amountDue } from "../modules/invoices/rules.ts";
import type { Invoice } from "../modules/invoices/types.ts";
import type { Quote } from "../modules/quotes/types.ts";

/** Inclusive days. */
export interface Period {
  readonly start: BusinessDay;
  readonly end: BusinessDay;
}

/** An invoice, a quote or a credit note as people read it, whether on a page, in a mail or as a PDF. */
export interface PricedDocument extends Totals {
  readonly number: string;
  readonly currency: string;
  readonly issueDate: BusinessDay;
  /** By when an invoice is to be paid or a quote accepted; null where no day is set. */
  readonly lastDay: BusinessDay | null;
  readonly period: Period | null;
  /** Of a credit note one: its description is the reason. */
  readonly lines: readonly PricedLine[];
  /** Unit prices and amounts of the lines are with VAT. */
  readonly taxInclusive: boolean;
  /** Off the total: payments and credits of an invoice, what invoices used of a credit note. Nothing of a quote. */
  readonly paid: Cents;
  /** `total` without `paid`. */
  readonly due: Cents;
  readonly notes: string | null;
}

/** What an invoice and a quote have in common. */
type Source = Totals &
  Pick<Invoice, "number" | "currency" | "issueDate" | "lines" | "notes"> &
  Pick<PricedLine, "periodStart" | "periodEnd">;

/** An invoice as its readers see it: without VAT in its lines, whatever its prices were quoted with (interface 2.5). */
export const documentOfInvoice = (invoice: Source & Pick<Invoice, "dueDate" | "paid">): PricedDocument => ({
  ...sharedOf(invoice),
  lastDay: invoice.dueDate,
  taxInclusive: false,
  paid: invoice.paid,
  due: amountDue(invoice),
});

/** A quote as its readers see it. */
export const documentOfQuote = (quote: Source & Pick<Quote, "expiryDate" | "taxInclusive">): PricedDocument => ({
  ...sharedOf(quote),
  lastDay: quote.expiryDate,
  taxInclusive: quote.taxInclusive,
  paid: ZERO,
  due: quote.total,
});

/** A credit note as its readers see it: amounts are what the supply is reduced by. */
export function documentOfCreditNote(
  note: Pick<CreditNote, "number" | "currency" | "amount" | "tax" | "taxRate" | "remaining" | "reason" | "createdAt">,
): PricedDocument {
  const { number, currency, amount, tax, taxRate, remaining, reason } = note;
  const subtotal = subtract(amount, tax);
  const line: PricedLine = {
    description: reason,
    details: null,
    quantity: "1" as Decimal,
    unitPrice: toDecimalText(subtotal) as Decimal,
    taxRate,
    amount: subtotal,
    tax,
    periodStart: null,
    periodEnd: null,
  };
  return {
    number,
    currency,
    issueDate: businessDay(note.createdAt),
    lastDay: null,
    period: null,
    lines: [line],
    taxInclusive: false,
    subtotal,
    tax,
    total: amount,
    paid: subtract(amount, remaining),
    due: remaining,
    notes: null,
  };
}

const sharedOf = (source: Source) => ({
  number: source.number,
  currency: source.currency,
  issueDate: source.issueDate,
  period: periodOf(source),
  lines: source.lines,
  subtotal: source.subtotal,
  tax: source.tax,
  total: source.total,
  notes: source.notes,
});

/** Both days, which come in pairs (decision 67), or null. */
export const periodOf = ({ periodStart, periodEnd }: Pick<PricedLine, "periodStart" | "periodEnd">): Period | null =>
  periodStart && periodEnd ? { start: periodStart, end: periodEnd } : null;
