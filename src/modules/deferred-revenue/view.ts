import { type Cents, cents, toRand } from "../../kernel/money.ts";
import type { Month, MovedInvoice, Movement } from "./types.ts";

const movementView = ({ opening, deferred, recognised, reversed, closing }: Movement) => ({
  opening: toRand(opening),
  deferred: toRand(deferred),
  recognised: toRand(recognised),
  reversed: toRand(reversed),
  closing: toRand(closing),
});

/** The deferred revenue of all invoices in a month, with the revenue posted in it. */
export interface DeferredTotals {
  readonly invoices: number;
  readonly moved: Movement;
  readonly posted: Cents;
  /** Currencies other than rand in which the organisation has invoices. */
  readonly currencies: readonly string[];
}

/** Interface 18.9, totals. */
export const deferredTotalsView = (
  { invoices, moved, posted, currencies }: DeferredTotals,
  month: Month,
  currency: string,
) => ({
  object: "deferred_revenue" as const,
  month: month.first.slice(0, 7),
  currency,
  currencies: [...currencies],
  invoices,
  ...movementView(moved),
  posted: toRand(posted),
  earned: toRand(cents(posted - moved.deferred + moved.recognised + moved.reversed)),
});

/** Interface 18.9, invoice. */
export const deferredInvoiceView = (
  { id, number, customerId, customerName, lines, moved }: MovedInvoice,
  currency: string,
) => ({
  object: "deferred_invoice" as const,
  id,
  number,
  customerId,
  customerName,
  currency,
  ...movementView(moved),
  lines: lines.map(({ line, description, start, end, amount, moved: of }) => ({
    line,
    description,
    periodStart: start,
    periodEnd: end,
    amount: toRand(amount),
    ...movementView(of),
  })),
});
