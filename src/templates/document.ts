import type { Decimal } from "../kernel/decimal.ts";
import { depositLeft } from "../kernel/deposits.ts";
import type { Discount } from "../kernel/discounts.ts";
import type { Exchange } from "../kernel/exchange.ts";
import { exemption } from "../kernel/exemption.ts";
import type { PricedLine, Totals } from "../kernel/lines.ts";
import { type Cents, subtract, toDecimalText, ZERO } from "../kernel/money.ts";
import { type CalendarDay, calendarDay } from "../kernel/time.ts";
import type { CreditNote, CreditNoteLine } from "../modules/credit-notes/types.ts";
import { amountDue } from "../modules/invoices/rules.ts";
import type { Invoice } from "../modules/invoices/types.ts";
import type { Quote } from "../modules/quotes/types.ts";

/** A period of days, both inclusive. */
export interface Period {
  readonly start: CalendarDay;
  readonly end: CalendarDay;
}

/** An invoice, a quote or a credit note as pages, mails and PDFs show it. */
export interface PricedDocument extends Totals {
  readonly number: string;
  readonly currency: string;
  /** Of an invoice, and of a credit note for one, in another currency: at which rate it is reckoned in rand. */
  readonly exchange?: Exchange | null;
  readonly issueDate: CalendarDay;
  /** The last day to pay an invoice or to accept a quote; null when none is set. */
  readonly lastDay: CalendarDay | null;
  readonly period: Period | null;
  /** A credit note with one VAT rate has one line, whose description is the reason. */
  readonly lines: readonly PricedLine[];
  /** Off the sum of the lines, as their prices are; its shares are taken off their amounts. */
  readonly discount: Discount | null;
  /** Whether unit prices and amounts of the lines include VAT. */
  readonly taxInclusive: boolean;
  /** The payments and credits of an invoice; the part of a credit note that was applied to invoices; 0 for a quote. */
  readonly paid: Cents;
  /** `total` minus `paid`. */
  readonly due: Cents;
  /** What is to be paid first: the deposit of a quote, or what is left of an invoice's. Left out, or 0: none. */
  readonly deposit?: Cents;
  readonly notes: string | null;
}

/** The common fields of an invoice and a quote. */
type Source = Totals &
  Pick<Invoice, "number" | "currency" | "issueDate" | "lines" | "discount" | "notes"> &
  Pick<PricedLine, "periodStart" | "periodEnd">;

/** The document of an invoice. Its lines exclude VAT, even when its prices were given with VAT (interface 2.5). */
export const documentOfInvoice = (
  invoice: Source & Pick<Invoice, "dueDate" | "paid"> & Pick<PricedDocument, "exchange" | "deposit">,
): PricedDocument => ({
  ...sharedOf(invoice),
  exchange: invoice.exchange ?? null,
  lastDay: invoice.dueDate,
  taxInclusive: false,
  paid: invoice.paid,
  due: amountDue(invoice),
  deposit: depositLeft(invoice.deposit ?? ZERO, invoice),
});

/** The document of a quote. */
export const documentOfQuote = (
  quote: Source & Pick<Quote, "expiryDate" | "taxInclusive" | "depositAmount">,
): PricedDocument => ({
  ...sharedOf(quote),
  lastDay: quote.expiryDate,
  taxInclusive: quote.taxInclusive,
  paid: ZERO,
  due: quote.total,
  deposit: quote.depositAmount,
});

/**
 * The document of a credit note, reckoned in rand as the invoice that it corrects. Its amounts are positive: the supply is reduced by
 * them.
 */
export function documentOfCreditNote(
  note: Pick<
    CreditNote,
    "number" | "currency" | "amount" | "tax" | "taxRate" | "taxExempt" | "lines" | "remaining" | "reason" | "createdAt"
  >,
  exchange: Exchange | null = null,
): PricedDocument {
  const { number, currency, amount, tax, taxRate, taxExempt, remaining, reason } = note;
  const lines =
    taxRate === null ? note.lines : [{ description: reason, taxRate, ...exemption(taxExempt), tax, amount }];
  const subtotal = subtract(amount, tax);
  return {
    number,
    currency,
    exchange,
    issueDate: calendarDay(note.createdAt),
    lastDay: null,
    period: null,
    lines: lines.map(lineOfCreditNote),
    discount: null,
    taxInclusive: false,
    subtotal,
    tax,
    total: amount,
    paid: subtract(amount, remaining),
    due: remaining,
    notes: taxRate === null ? `Reason: ${reason}` : null,
  };
}

function lineOfCreditNote({ description, taxRate, taxExempt, tax, amount }: CreditNoteLine): PricedLine {
  const net = subtract(amount, tax);
  return {
    description,
    details: null,
    quantity: "1" as Decimal,
    unitPrice: toDecimalText(net) as Decimal,
    taxRate,
    ...exemption(taxExempt),
    amount: net,
    tax,
    periodStart: null,
    periodEnd: null,
  };
}

const sharedOf = (source: Source) => ({
  number: source.number,
  currency: source.currency,
  issueDate: source.issueDate,
  period: periodOf(source),
  lines: source.lines,
  discount: source.discount,
  subtotal: source.subtotal,
  tax: source.tax,
  total: source.total,
  notes: source.notes,
});

/** The period of a line, or null. Both days are set or neither is. */
export const periodOf = ({ periodStart, periodEnd }: Pick<PricedLine, "periodStart" | "periodEnd">): Period | null =>
  periodStart && periodEnd ? { start: periodStart, end: periodEnd } : null;
