import type { InvoiceId } from "../../kernel/ids.ts";
import { cents, ZERO } from "../../kernel/money.ts";
import { addDays, addMonths, type CalendarDay, startOfDay } from "../../kernel/time.ts";
import { ledgerTotals } from "../../modules/books/store.ts";
import { addedUp, movedIn } from "../../modules/deferred-revenue/rules.ts";
import {
  currenciesOfInvoices,
  invoicesOfPeriods,
  serviceInvoices,
  touchedInvoices,
  untouchedTotals,
} from "../../modules/deferred-revenue/store.ts";
import type { Month, MovedInvoice } from "../../modules/deferred-revenue/types.ts";
import type { DeferredTotals } from "../../modules/deferred-revenue/view.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * More invoices than an organisation has. One statement reads all their ids, since a statement for each batch would
 * read all of them every time.
 */
const INVOICES_MAX = 10_000_000;
/** The number of invoices that one statement reads. */
const AT_ONCE = 1000;

/** Runs reads, either all in one transaction or each in its own. */
export type Read = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** The month that begins on a day. */
export const monthFrom = (first: CalendarDay): Month => ({ first, last: addDays(addMonths(first, 1), -1) });

/** The invoices with deferred revenue in a month, in batches, in the order of their ids after `after`. */
export async function* deferredInvoices(
  read: Read,
  month: Month,
  currency: string,
  after = "",
  atOnce = AT_ONCE,
): AsyncGenerator<readonly MovedInvoice[]> {
  const ids = await read((tx) => invoicesOfPeriods(tx, month, { after, limit: INVOICES_MAX }));
  yield* movedAmong(read, ids, { month, currency, atOnce });
}

/** Those of these invoices that have deferred revenue in the month, in batches. */
async function* movedAmong(
  read: Read,
  ids: readonly InvoiceId[],
  { month, currency, atOnce }: { readonly month: Month; readonly currency: string; readonly atOnce: number },
): AsyncGenerator<readonly MovedInvoice[]> {
  for (let at = 0; at < ids.length; at += atOnce) {
    const piece = ids.slice(at, at + atOnce);
    const invoices = await read((tx) => serviceInvoices(tx, piece, month, currency));
    yield invoices.flatMap((invoice) => movedIn(invoice, month) ?? []);
  }
}

/** Reads at most `limit` of the invoices with deferred revenue. */
export async function readDeferredInvoices(
  tx: Tx,
  month: Month,
  currency: string,
  { limit, startingAfter }: { readonly limit: number; readonly startingAfter?: string | undefined },
): Promise<MovedInvoice[]> {
  const found: MovedInvoice[] = [];
  for await (const invoices of deferredInvoices((work) => work(tx), month, currency, startingAfter, limit)) {
    found.push(...invoices);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/**
 * The totals of all invoices, and the revenue posted in the month. One statement adds up the invoices without credit
 * notes and cancellations, so that only the others are computed one by one.
 */
export async function readDeferredTotals(tx: Tx, month: Month, currency: string): Promise<DeferredTotals> {
  const ledger = await ledgerTotals(tx, startOfDay(month.first), startOfDay(addDays(month.last, 1)));
  const revenue = ledger.find((one) => one.account === "revenue" && one.currency === currency);
  let { invoices, moved } = await untouchedTotals(tx, month, currency);
  const [touched, currencies] = await Promise.all([touchedInvoices(tx, month), currenciesOfInvoices(tx)]);
  for await (const piece of movedAmong((work) => work(tx), touched, { month, currency, atOnce: AT_ONCE })) {
    invoices += piece.length;
    moved = addedUp([moved, ...piece.map((invoice) => invoice.moved)]);
  }
  return { invoices, moved, currencies, posted: revenue ? cents(revenue.credit - revenue.debit) : ZERO };
}
