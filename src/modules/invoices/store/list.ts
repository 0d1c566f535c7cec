// Writes nothing. Reads: invoices, invoice_lines.

import { retriedInvoices } from "../../../domain/customer-subscriptions.ts";
import { IN_OPEN, OPEN_ARRAY } from "../../../domain/invoices.ts";
import { LINE_COLUMNS } from "../../../domain/line-rows.ts";
import { totalsOf } from "../../../domain/list-totals.ts";
import {
  createdIn,
  hasMetadata,
  type ListFilter,
  newestFirst,
  type Order,
  onPage,
  type PageQuery,
} from "../../../domain/lists.ts";
import { inOrderOf, pageInOrder, type SortColumns } from "../../../domain/ordered-lists.ts";
import type { InvoiceLinesRow } from "../../../domain/rows.ts";
import type { InvoiceId } from "../../../kernel/ids.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../../platform/database.ts";
import { begins, NEAREST, ofCurrency, pageOfFound } from "../../../platform/found.ts";
import type { Invoice, InvoiceHead, Missed } from "../types.ts";
import { type HeadRow, head, headFromRow, invoices, linesOf, type ReasonedRow, reasons } from "./invoices.ts";

/** Condition: the filters of the list and the export, times and metadata among them. */
const recordsWanted = (tx: Tx, query: InvoiceFilter, { missed = null, dueBefore }: InvoiceSpans) => part`
      ${when(dueBefore, (before) => owingCondition(before))}
      ${when(missed, (value) => missedCondition(tx, value))}
      ${ofCurrency(part`i.currency`, query.currency)}
      ${when(query.customerId, (customerId) => part`and i.customer_id = ${customerId}`)}
      ${when(query.externalReference, (externalReference) => part`and i.external_reference = ${externalReference}`)}
      ${when(query.status, (status) => part`and i.status = ${status}`)}
      ${createdIn(query, "inv", { id: part`i.id`, createdAt: part`i.created_at` })}
      ${hasMetadata(query, part`i.metadata`)}`;

/**
 * Newest first, or as `query.order` says. The lines are a separate statement in the same packet, since reading them as
 * JSON took most of the time; `tx` is a read, whose packet sees one state of the database.
 */
export async function listInvoices(
  tx: Tx,
  query: InvoiceFilter & PageQuery,
  spans: InvoiceSpans = {},
): Promise<Invoice[]> {
  if (query.order) return sortedInvoices(tx, { ...query, order: query.order }, spans);
  const wanted = part`${recordsWanted(tx, query, spans)} ${onPage(query, part`i.id`)}`;
  const page = part`
      ${await pageCondition(tx, query, wanted, spans)}
     ${newestFirst(query, part`i.id`)}`;
  return invoicesOnPage(tx, page);
}

/** The invoices of a page, with their lines. */
async function invoicesOnPage(tx: Tx, page: Part): Promise<Invoice[]> {
  const [heads, lines] = await Promise.all([
    tx.sql<ReasonedRow>`select ${head(tx)}, ${reasons(tx)} ${invoices(tx)} ${page}`,
    tx.sql<InvoiceLinesRow>`
      select invoice_id, ${LINE_COLUMNS} from invoice_lines
       where organisation_id = ${tx.organisation}
         and invoice_id = any (array(select i.id from invoices i where i.organisation_id = ${tx.organisation} ${page}))
       order by invoice_id, line`,
  ]);
  const byInvoice = Map.groupBy(lines, (line) => line.invoice_id);
  return heads.map((row) => ({ ...headFromRow(row), lines: linesOf(row, byInvoice.get(row.id) ?? []) }));
}

/** The columns by which invoices are sorted; those without a due date stand after all others. */
export const INVOICE_SORTS = {
  dueDate: {
    column: part`coalesce(i.due_date, 'infinity')`,
    values: "days",
    valueOf: ({ dueDate }) => dueDate ?? "infinity",
  },
  total: { column: part`i.total_cents`, values: "cents", valueOf: ({ total }) => String(total) },
} as const satisfies SortColumns<Invoice>;

async function sortedInvoices(
  tx: Tx,
  query: InvoiceFilter & PageQuery & { readonly order: Order },
  spans: InvoiceSpans,
): Promise<Invoice[]> {
  const ids = await pageInOrder<InvoiceId>(tx, query, {
    name: part`i`,
    records: part`from invoices i where i.organisation_id = ${tx.organisation}`,
    id: part`i.id`,
    sorts: INVOICE_SORTS,
    wanted: part`${recordsWanted(tx, query, spans)} ${matches(query)}`,
  });
  return inOrderOf(ids, await invoicesOnPage(tx, part`and i.id = any (${ids})`));
}

/** How many invoices match, and by currency their totals and what is due of those that are owed. */
export const invoiceTotals = (tx: Tx, query: InvoiceFilter, spans: InvoiceSpans, countTo?: number) =>
  totalsOf(tx, countTo, {
    records: part`from invoices i where i.organisation_id = ${tx.organisation} ${recordsWanted(tx, query, spans)} ${matches(query)}`,
    currency: part`i.currency`,
    sums: {
      total: part`i.total_cents`,
      amountDue: part`case when i.status ${IN_OPEN} then i.total_cents - i.paid_cents else 0 end`,
    },
  });

/** Oldest first, those after the id `after`; `from` and `to` are issue dates, both inclusive. */
export async function exportInvoices(
  tx: Tx,
  query: InvoiceFilter & { after: string; limit: number; from: CalendarDay | null; to: CalendarDay | null },
  spans: InvoiceSpans,
): Promise<InvoiceHead[]> {
  const rows = await tx.sql<HeadRow>`
    select ${head(tx)} ${invoices(tx)} and i.id > ${query.after} ${recordsWanted(tx, query, spans)} ${matches(query)}
      ${when(query.from, (from) => part`and i.issue_date >= ${from}`)}
      ${when(query.to, (to) => part`and i.issue_date <= ${to}`)}
     order by i.id limit ${query.limit}`;
  return rows.map(headFromRow);
}

/** The filters of the list and the export of invoices. */
type InvoiceFilter = ListFilter<"customerId" | "externalReference" | "status" | "currency">;

/** Condition: `q` is the beginning of the number or the reference, or the total, the customer or the id. An index finds each of these. */
function matches({ q, named }: InvoiceFilter): Part {
  if (!q) return NOTHING;
  return named
    ? part`and (${begins(part`i.number`, named.references)} or ${begins(part`i.external_reference`, [named.text])}
        or i.total_cents = any (${named.amounts}::bigint[]) or i.customer_id = any (${named.customers}::text[]) or i.id = ${named.text})`
    : part`and false`;
}

/** The ids of one page of the invoices that match `wanted` and `q`. */
const foundInvoices = (tx: Tx, query: InvoiceFilter & PageQuery, wanted: Part) =>
  pageOfFound(
    query.limit,
    () => tx.sql<{ id: InvoiceId }>`
      select i.id from (select i.* from invoices i where i.organisation_id = ${tx.organisation} ${wanted}
                        ${newestFirst({ ...query, limit: NEAREST }, part`i.id`)}) i
       where true ${matches(query)} ${newestFirst(query, part`i.id`)}`,
    () => tx.sql<{ id: InvoiceId }>`
      with found as materialized (select i.id from invoices i where i.organisation_id = ${tx.organisation} ${wanted} ${matches(query)})
      select id from found ${newestFirst(query, part`id`)}`,
  );

/** Condition: open invoices, or those of them that were due before a day. */
const owingCondition = (dueBefore: CalendarDay | "any"): Part => part`
      and i.status ${IN_OPEN} ${dueBefore === "any" ? NOTHING : part`and i.due_date < ${dueBefore}`}`;

/** Filters of the list that are not columns; `dueBefore` finds open invoices. */
export interface InvoiceSpans {
  readonly missed?: Missed | null;
  readonly dueBefore?: CalendarDay | "any" | undefined;
}

/** Condition: the page of the invoices that match `wanted`. */
async function pageCondition(
  tx: Tx,
  query: InvoiceFilter & PageQuery,
  wanted: Part,
  { missed = null, dueBefore }: InvoiceSpans,
): Promise<Part> {
  if (query.q) return part`and i.id = any (${await foundInvoices(tx, query, wanted)})`;
  if (missed !== null) return nearest(tx, query, wanted);
  return dueBefore === undefined ? wanted : nearestOpen(tx, query, wanted);
}

/** Condition: the page of the invoices that match `wanted`; they are found before other data of them is read. */
const nearest = (tx: Tx, page: PageQuery, wanted: Part): Part => part`
      and i.id = any (array(select i.id from invoices i where i.organisation_id = ${tx.organisation} ${wanted}
                            ${newestFirst(page, part`i.id`)}))`;

/** Condition: enough for the page of the open invoices that match `wanted`: each state's index is read from its end, without a sort. */
const nearestOpen = (tx: Tx, page: PageQuery, wanted: Part): Part => part`
      and i.id = any (array(select newest.id from unnest(${OPEN_ARRAY}) state(status) cross join lateral (
        select i.id from invoices i where i.organisation_id = ${tx.organisation} and i.status = state.status ${wanted}
         ${newestFirst(page, part`i.id`)}) newest))`;

/** Invoices of subscriptions whose collection failed. Indexes find them by the time of the failure, or of the payment. */
function missedCondition(tx: Tx, { outcome, from, failedFrom }: Missed): Part {
  if (outcome === "recovered")
    return part`and i.missed_at >= ${failedFrom} and i.status = 'paid' and i.paid_at >= ${from}`;
  const which =
    outcome === "failed"
      ? part`and i.missed_at >= ${from}`
      : part`and i.missed_at is not null and i.id = any (${retriedInvoices(tx)})`;
  return part`${which} and i.status ${IN_OPEN}`;
}
