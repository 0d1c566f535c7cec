// Writes: quotes, quote_lines. Reads nothing else.

import { customerIsLike, joinCustomer } from "../../domain/customer-name.ts";
import { joinInvoice } from "../../domain/joins.ts";
import {
  discountFromRow,
  LINE_COLUMNS,
  LINES_AS_JSON,
  type LineRow,
  lineFromRow,
  partFromColumns,
  percentColumn,
  rowsOfLines,
} from "../../domain/line-rows.ts";
import { totalsOf } from "../../domain/list-totals.ts";
import { createdIn, type ListFilter, newestFirst, onPage, type PageQuery } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import { inOrderOf, pageInOrder, type SortColumns } from "../../domain/ordered-lists.ts";
import type { QuotesRow } from "../../domain/rows.ts";
import { sharesOf } from "../../kernel/discounts.ts";
import type { QuoteId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../platform/database.ts";
import type { Quote } from "./types.ts";

interface WholeRow extends QuotesRow {
  customer_reference: string | null;
  customer_email: string | null;
  invoice_number: string | null;
  invoice_status: string | null;
  invoice_reference: string | null;
  lines: LineRow[];
}

const fromRow = (row: WholeRow): Quote => ({
  id: row.id,
  number: row.number,
  status: row.status,
  customer: {
    id: row.customer_id,
    externalReference: row.customer_reference,
    email: row.customer_email,
  },
  currency: row.currency,
  issueDate: row.issue_date,
  expiryDate: row.expiry_date,
  periodStart: row.period_start,
  periodEnd: row.period_end,
  taxInclusive: row.tax_inclusive,
  lines: row.lines.map(lineFromRow),
  discount: discountFromRow(row),
  deposit: partFromColumns(row.deposit_percent, row.deposit_cents),
  depositAmount: row.deposit_cents,
  subtotal: row.subtotal_cents,
  tax: row.tax_cents,
  total: row.total_cents,
  notes: row.notes,
  invoice:
    row.invoice_id === null || row.invoice_number === null || row.invoice_status === null
      ? null
      : {
          id: row.invoice_id,
          number: row.invoice_number,
          status: row.invoice_status,
          externalReference: row.invoice_reference,
        },
  sentAt: row.sent_at,
  acceptedAt: row.accepted_at,
  acceptedBy: row.accepted_by,
  declinedAt: row.declined_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Selects whole quotes of the organisation as `q`; a condition may follow. */
const whole = (tx: Tx) => part`
  select q.*, c.external_reference as customer_reference, c.email as customer_email,
         i.number as invoice_number, i.status as invoice_status, i.external_reference as invoice_reference,
         (select ${LINES_AS_JSON} from quote_lines n where n.organisation_id = ${tx.organisation} and n.quote_id = q.id) as lines
    from quotes q ${joinCustomer(tx, part`q.customer_id`)}
    left ${joinInvoice(tx, part`q.invoice_id`)}
   where q.organisation_id = ${tx.organisation}`;

/** Condition: by id or number, which are both accepted everywhere (interface 2.6). */
const named = (key: string): Part => (key.startsWith("quo_") ? part`q.id = ${key}` : part`q.number = ${key}`);

/** Inserts a quote and its lines. */
export function insertQuote(tx: Tx, quote: Quote): void {
  tx.queue`
    insert into quotes (organisation_id, id, number, status, customer_id, currency, issue_date, expiry_date, period_start, period_end,
      tax_inclusive, subtotal_cents, tax_cents, total_cents, discount_percent, discount_cents, deposit_percent, deposit_cents,
      notes, sent_at, created_at, updated_at)
    values (${tx.organisation}, ${quote.id}, ${quote.number}, ${quote.status}, ${quote.customer.id}, ${quote.currency},
      ${quote.issueDate}, ${quote.expiryDate}, ${quote.periodStart}, ${quote.periodEnd}, ${quote.taxInclusive}, ${quote.subtotal},
      ${quote.tax}, ${quote.total}, ${percentColumn(quote.discount)}, ${sharesOf(quote.lines)},
      ${percentColumn(quote.deposit)}, ${quote.depositAmount}, ${quote.notes}, ${quote.sentAt}, ${quote.createdAt}, ${quote.updatedAt})`;
  insertLines(tx, quote);
}

function insertLines(tx: Tx, quote: Quote): void {
  tx.queue`
    insert into quote_lines (organisation_id, quote_id, ${LINE_COLUMNS})
    select ${tx.organisation}, n.* from ${rowsOfLines([quote])}
    returning line`;
}

/** Updates everything but lines, number and creation time; the caller has locked the quote (`lockQuote`). */
export function saveQuote(tx: Tx, quote: Quote): void {
  tx.queue`
    update quotes set status = ${quote.status}, customer_id = ${quote.customer.id}, currency = ${quote.currency},
      issue_date = ${quote.issueDate}, expiry_date = ${quote.expiryDate}, period_start = ${quote.periodStart},
      period_end = ${quote.periodEnd}, tax_inclusive = ${quote.taxInclusive}, subtotal_cents = ${quote.subtotal},
      tax_cents = ${quote.tax}, total_cents = ${quote.total},
      discount_percent = ${percentColumn(quote.discount)}, discount_cents = ${sharesOf(quote.lines)},
      deposit_percent = ${percentColumn(quote.deposit)}, deposit_cents = ${quote.depositAmount},
      notes = ${quote.notes}, invoice_id = ${quote.invoice?.id ?? null},
      sent_at = ${quote.sentAt}, accepted_at = ${quote.acceptedAt}, accepted_by = ${quote.acceptedBy},
      declined_at = ${quote.declinedAt},
      updated_at = ${quote.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${quote.id}`;
}

/** Replaces the lines of a quote. */
export function replaceLines(tx: Tx, quote: Quote): void {
  tx.queue`delete from quote_lines where organisation_id = ${tx.organisation} and quote_id = ${quote.id}`;
  insertLines(tx, quote);
}

/** Deletes a quote and its lines. */
export function deleteQuote(tx: Tx, id: QuoteId): void {
  tx.queue`delete from quotes where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** By id or number. Null when absent or another organisation's. */
export async function findQuote(tx: Tx, key: string): Promise<Quote | null> {
  const [row] = await tx.sql<WholeRow>`${whole(tx)} and ${named(key)}`;
  return row ? fromRow(row) : null;
}

/**
 * As `findQuote`, and locks the quote until the transaction ends. The read is a second statement, so that after a wait for the lock
 * it sees the lines that the other transaction wrote.
 */
export async function lockQuote(tx: Tx, key: string): Promise<Quote | null> {
  locking(tx, "quote")
    .queue`select from quotes q where q.organisation_id = ${tx.organisation} and ${named(key)} for no key update`;
  return findQuote(tx, key);
}

/** The columns by which quotes are sorted. */
export const QUOTE_SORTS = {
  total: { column: part`q.total_cents`, values: "cents", valueOf: ({ total }) => String(total) },
} as const satisfies SortColumns<Quote>;

const quotes = (tx: Tx) => part`from quotes q where q.organisation_id = ${tx.organisation}`;

type QuoteFilter = ListFilter<"status" | "customerId">;

/** Condition: the list's filters. `status` is as of `today`; `q` searches the number and the customer's names, email and reference. */
const recordsWanted = (tx: Tx, query: QuoteFilter, today: CalendarDay) => part`
      ${when(query.status, (status) => part`and ${hasStatus(status, today)}`)}
      ${when(query.customerId, (customerId) => part`and q.customer_id = ${customerId}`)}
      ${createdIn(query, "quo", { id: part`q.id`, createdAt: part`q.created_at` })}
      ${when(
        query.q || null,
        (q) => part`and (q.number ilike ${containing(q)}
                                               or ${customerIsLike(tx, part`q.customer_id`, containing(q))}
                                               or q.total_cents = any (${query.named?.amounts ?? []}::bigint[])
                                               or q.customer_id = any (${query.named?.customers ?? []}::text[]))`,
      )}`;

/** Newest first, or as `query.order` says. */
export async function listQuotes(tx: Tx, query: QuoteFilter & PageQuery, today: CalendarDay): Promise<Quote[]> {
  const wanted = recordsWanted(tx, query, today);
  if (!query.order) {
    const rows =
      await tx.sql<WholeRow>`${whole(tx)} ${wanted} ${onPage(query, part`q.id`)} ${newestFirst(query, part`q.id`)}`;
    return rows.map(fromRow);
  }
  const ids = await pageInOrder<QuoteId>(
    tx,
    { ...query, order: query.order },
    { name: part`q`, records: quotes(tx), id: part`q.id`, sorts: QUOTE_SORTS, wanted },
  );
  const rows = await tx.sql<WholeRow>`${whole(tx)} and q.id = any (${ids})`;
  return inOrderOf(ids, rows.map(fromRow));
}

/** How many quotes match, and their totals by currency. */
export const quoteTotals = (tx: Tx, query: QuoteFilter, today: CalendarDay, countTo?: number) =>
  totalsOf(tx, countTo, {
    records: part`${quotes(tx)} ${recordsWanted(tx, query, today)}`,
    currency: part`q.currency`,
    sums: { total: part`q.total_cents` },
  });

/** Condition: the quote `q` has `status` on `today`, as `statusAt` says. */
function hasStatus(status: string, today: CalendarDay): Part {
  if (status === "sent") return part`q.status = 'sent' and (q.expiry_date is null or q.expiry_date >= ${today})`;
  if (status === "expired") return part`(q.status = 'expired' or q.status = 'sent' and q.expiry_date < ${today})`;
  return part`q.status = ${status}`;
}
