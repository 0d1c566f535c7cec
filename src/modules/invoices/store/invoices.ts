// Writes: invoices, invoice_lines, invoice_payments, undone_invoice_payments, open_invoice_totals. Reads: payment_links (the link that
// collects the balance).

import { joinCustomer } from "../../../domain/customer-name.ts";
import { fromBills } from "../../../domain/customer-subscriptions.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import type { LineReason } from "../../../domain/line-reason.ts";
import {
  discountFromRow,
  LINE_COLUMNS,
  LINES_AS_JSON,
  type LineRow,
  lineFromRow,
  percentColumn,
  rowsOfLines,
} from "../../../domain/line-rows.ts";
import { newestFirst, onPage, type PageQuery } from "../../../domain/lists.ts";
import { locking } from "../../../domain/locks.ts";
import type { InvoicePaymentsRow, InvoicesRow } from "../../../domain/rows.ts";
import { sharesOf } from "../../../kernel/discounts.ts";
import type {
  CustomerId,
  CustomerSubscriptionId,
  InvoiceId,
  InvoicePaymentId,
  PaymentLinkId,
} from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { PaymentMethod } from "../../../kernel/payment-methods.ts";
import type { Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import { EXCHANGE_COLUMNS, exchangeFromRow } from "../rules.ts";
import type {
  Allocation,
  ExchangeOf,
  Invoice,
  InvoiceHead,
  InvoiceLine,
  InvoiceReference,
  InvoiceStatus,
} from "../types.ts";

/** An invoice without its lines, with what is shown of its customer. */
export interface HeadRow extends InvoicesRow {
  customer_reference: string | null;
  customer_email: string | null;
  pay_link_id: PaymentLinkId | null;
}

/** The reasons of the lines, in their order; null unless the invoice is of a customer subscription. */
export interface ReasonedRow extends HeadRow {
  reasons: LineReason[] | null;
}

interface WholeRow extends ReasonedRow {
  lines: LineRow[];
}

const fromRow = (row: WholeRow): Invoice => ({ ...headFromRow(row), lines: linesOf(row, row.lines) });

/** The lines of a row, each with its reason. */
export const linesOf = ({ reasons }: ReasonedRow, lines: readonly LineRow[]): InvoiceLine[] =>
  lines.map((line, place) => {
    const reason = reasons?.[place];
    return reason ? { ...lineFromRow(line), reason } : lineFromRow(line);
  });

/** An invoice as its row has it, without its lines. */
export const headFromRow = (row: HeadRow): InvoiceHead => ({
  id: row.id,
  number: row.number,
  status: row.status,
  externalReference: row.external_reference,
  customer: { id: row.customer_id, externalReference: row.customer_reference, email: row.customer_email },
  currency: row.currency,
  ...exchangeFromRow(row),
  issueDate: row.issue_date,
  dueDate: row.due_date,
  taxInclusive: row.tax_inclusive,
  subtotal: row.subtotal_cents,
  tax: row.tax_cents,
  total: row.total_cents,
  paid: row.paid_cents,
  discount: discountFromRow(row),
  deposit: row.deposit_cents,
  notes: row.notes,
  metadata: row.metadata,
  periodStart: row.period_start,
  periodEnd: row.period_end,
  charge: row.charge,
  cycle: row.cycle,
  quoteId: row.quote_id,
  payLinkId: row.pay_link_id,
  issuedAt: row.issued_at,
  editedAt: row.edited_at,
  sentAt: row.sent_at,
  paidAt: row.paid_at,
  cancelledAt: row.cancelled_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The columns of `HeadRow`. */
export const head = (tx: Tx) => part`
  i.*, c.external_reference as customer_reference, c.email as customer_email,
         (select l.id from payment_links l
           where l.organisation_id = ${tx.organisation} and l.invoice_id = i.id and l.collects_balance and l.active) as pay_link_id`;
/** The organisation's invoices as `i` and their customers as `c`; a condition may follow. */
export const invoices = (tx: Tx) => part`
    from invoices i ${joinCustomer(tx, part`i.customer_id`)}
   where i.organisation_id = ${tx.organisation}`;

/** The column of `ReasonedRow`. */
export const reasons = (tx: Tx) => part`
  case when i.charge is not null then (
    select jsonb_path_query_array(b.lines, '$[*].reason') ${fromBills(tx)} and b.invoice_id = i.id) end as reasons`;

const whole = (tx: Tx) => part`
  select ${head(tx)}, ${reasons(tx)},
         (select ${LINES_AS_JSON} from invoice_lines n where n.organisation_id = ${tx.organisation} and n.invoice_id = i.id) as lines
    ${invoices(tx)}`;

/** Whether an invoice counts in `open_invoice_totals`. */
const COUNTED_AS_OPEN = part`
  customer_id, currency, coalesce(due_date, 'infinity') as due_date,
         (status ${IN_OPEN})::integer as open_invoices,
         case when status ${IN_OPEN} then total_cents - paid_cents else 0 end as open_cents`;

/** The end of a statement that adds to `open_invoice_totals`. */
const ADD_TO_TOTALS = part`
    on conflict (organisation_id, customer_id, currency, due_date) do update
      set open_invoices = t.open_invoices + excluded.open_invoices, open_cents = t.open_cents + excluded.open_cents`;

const INSERTED: RowColumns<Invoice> = {
  id: ["text", ({ id }) => id],
  number: ["text", ({ number }) => number],
  status: ["text", ({ status }) => status],
  external_reference: ["text", ({ externalReference }) => externalReference],
  customer_id: ["text", ({ customer }) => customer.id],
  currency: ["text", ({ currency }) => currency],
  ...EXCHANGE_COLUMNS,
  issue_date: ["date", ({ issueDate }) => issueDate],
  due_date: ["date", ({ dueDate }) => dueDate],
  tax_inclusive: ["boolean", ({ taxInclusive }) => taxInclusive],
  subtotal_cents: ["bigint", ({ subtotal }) => subtotal],
  tax_cents: ["bigint", ({ tax }) => tax],
  total_cents: ["bigint", ({ total }) => total],
  discount_percent: ["numeric", ({ discount }) => percentColumn(discount)],
  discount_cents: ["bigint", ({ lines }) => sharesOf(lines)],
  deposit_cents: ["bigint", ({ deposit }) => deposit],
  notes: ["text", ({ notes }) => notes],
  metadata: ["jsonb", ({ metadata }) => JSON.stringify(metadata)],
  period_start: ["date", ({ periodStart }) => periodStart],
  period_end: ["date", ({ periodEnd }) => periodEnd],
  charge: ["text", ({ charge }) => charge],
  cycle: ["integer", ({ cycle }) => cycle],
  quote_id: ["text", ({ quoteId }) => quoteId],
  issued_at: ["timestamptz", ({ issuedAt }) => issuedAt],
  sent_at: ["timestamptz", ({ sentAt }) => sentAt],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
  updated_at: ["timestamptz", ({ updatedAt }) => updatedAt],
};

/**
 * Inserts invoices and their lines, with nothing paid, in one statement. Unless they are drafts, the caller has locked
 * the balances of their customers. Violates `invoices_external_reference` when another invoice has a reference.
 */
export function insertInvoices(tx: Tx, invoices: readonly Invoice[]): void {
  tx.queue`
    with made as (
    insert into invoices (organisation_id, id, number, status, external_reference, customer_id, currency, exchange_rate,
      exchange_date, exchange_source, awaits_exchange, issue_date, due_date, tax_inclusive, subtotal_cents, tax_cents, total_cents,
      discount_percent, discount_cents, deposit_cents, notes, metadata, period_start, period_end, charge, cycle, quote_id, issued_at,
      sent_at, created_at, updated_at)
    select ${tx.organisation}, n.* from ${rowsOf(invoices, INSERTED)}
    returning ${COUNTED_AS_OPEN}),
    lines as (
    insert into invoice_lines (organisation_id, invoice_id, ${LINE_COLUMNS})
    select ${tx.organisation}, n.* from ${rowsOfLines(invoices)}
    returning line)
    insert into open_invoice_totals as t (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
    select ${tx.organisation}, customer_id, currency, due_date, sum(open_invoices)::integer, sum(open_cents)::bigint
      from made where open_invoices > 0 group by customer_id, currency, due_date order by customer_id, currency, due_date
    ${ADD_TO_TOTALS} returning due_date`;
}

const exchangeSet = ({ exchange: of, awaitsExchange }: Invoice) => part`exchange_rate = ${of?.rate ?? null},
  exchange_date = ${of?.date ?? null}, exchange_source = ${of?.source ?? null}, awaits_exchange = ${awaitsExchange}`;

/** Updates the fields of an invoice that can change, and the totals of open invoices. The caller has locked the customer's balance. */
export function saveInvoice(tx: Tx, invoice: Invoice): void {
  tx.queue`
    with before as (
      select ${COUNTED_AS_OPEN} from invoices where organisation_id = ${tx.organisation} and id = ${invoice.id}),
    after as (
    update invoices set status = ${invoice.status}, paid_cents = ${invoice.paid}, notes = ${invoice.notes}, issued_at = ${invoice.issuedAt},
      ${exchangeSet(invoice)}, sent_at = ${invoice.sentAt}, paid_at = ${invoice.paidAt}, cancelled_at = ${invoice.cancelledAt},
      updated_at = ${invoice.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${invoice.id}
    returning ${COUNTED_AS_OPEN})
    insert into open_invoice_totals as t (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
    select ${tx.organisation}, b.customer_id, b.currency, b.due_date, a.open_invoices - b.open_invoices, a.open_cents - b.open_cents
      from before b, after a where a.open_invoices <> b.open_invoices or a.open_cents <> b.open_cents
    ${ADD_TO_TOTALS} returning due_date`;
  if (invoice.status === "paid" || invoice.status === "cancelled")
    tx.queue`
      delete from open_invoice_totals
       where organisation_id = ${tx.organisation} and customer_id = ${invoice.customer.id} and currency = ${invoice.currency}
         and due_date = coalesce(${invoice.dueDate}::date, 'infinity') and open_invoices = 0`;
}

/** Updates the fields of a draft that people change, and replaces its lines. It is in no totals. The caller has locked it. */
export function saveDraft(tx: Tx, draft: Invoice): void {
  tx.queue`
    update invoices set external_reference = ${draft.externalReference}, customer_id = ${draft.customer.id}, currency = ${draft.currency},
      ${exchangeSet(draft)}, issue_date = ${draft.issueDate}, due_date = ${draft.dueDate}, tax_inclusive = ${draft.taxInclusive},
      subtotal_cents = ${draft.subtotal}, tax_cents = ${draft.tax}, total_cents = ${draft.total}, deposit_cents = ${draft.deposit},
      discount_percent = ${percentColumn(draft.discount)}, discount_cents = ${sharesOf(draft.lines)}, notes = ${draft.notes},
      metadata = ${JSON.stringify(draft.metadata)}, edited_at = ${draft.editedAt}, updated_at = ${draft.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${draft.id} and status = 'draft'`;
  tx.queue`delete from invoice_lines where organisation_id = ${tx.organisation} and invoice_id = ${draft.id}`;
  tx.queue`
    insert into invoice_lines (organisation_id, invoice_id, ${LINE_COLUMNS})
    select ${tx.organisation}, n.* from ${rowsOfLines([draft])}
    returning line`;
}

/** Gives the invoices that wait for a rate of these currencies theirs. */
export function saveAwaitedExchanges(tx: Tx, rates: readonly ExchangeOf[], now: Instant): void {
  locking(tx, "invoice").queue`
    update invoices i set exchange_rate = n.rate, exchange_date = n.date, exchange_source = n.source,
      awaits_exchange = false, updated_at = ${now}
      from jsonb_to_recordset(${JSON.stringify(rates)}::jsonb) as n(currency text, rate numeric, date date, source text)
     where i.organisation_id = ${tx.organisation} and i.awaits_exchange and i.currency = n.currency`;
}

/** Null when absent or another organisation's. */
export async function findInvoice(tx: Tx, id: string): Promise<Invoice | null> {
  const [row] = await tx.sql<WholeRow>`${whole(tx)} and i.id = ${id}`;
  return row ? fromRow(row) : null;
}

/** The invoices with these ids. */
export async function findInvoices(tx: Tx, ids: readonly InvoiceId[]): Promise<Invoice[]> {
  const rows = await tx.sql<WholeRow>`${whole(tx)} and i.id = any (${ids})`;
  return rows.map(fromRow);
}

/** The invoices with these ids, without lines, by id. */
export async function invoicesByIds(
  tx: Tx,
  ids: readonly InvoiceId[],
): Promise<ReadonlyMap<InvoiceId, InvoiceReference>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<InvoiceReference & Record<string, unknown>>`
    select id, number, status, due_date as "dueDate", external_reference as "externalReference", total_cents as total, paid_cents as paid
      from invoices where organisation_id = ${tx.organisation} and id = any(${ids})`;
  return new Map(rows.map((row) => [row.id, row]));
}

/** As `findInvoice`, and locks it, after its customer's balance and links, before transactions (decisions.md#customer-balance-first). */
export async function lockInvoice(tx: Tx, id: string): Promise<Invoice | null> {
  const [row] = await locking(tx, "invoice").sql<WholeRow>`
    ${whole(tx)} and i.id = ${id} for no key update of i`;
  return row ? fromRow(row) : null;
}

/** As `lockInvoice`, for many, in the order of their ids. The caller has locked the balances of their customers. */
export async function lockInvoices(tx: Tx, ids: readonly string[]): Promise<Invoice[]> {
  const rows = await locking(tx, "invoice").sql<WholeRow>`
    ${whole(tx)} and i.id = any (${ids}) order by i.id for no key update of i`;
  return rows.map(fromRow);
}

/** Marks sent invoices as overdue. They stay open, so the totals of open invoices do not change. The caller has locked them. */
export function saveOverdue(tx: Tx, ids: readonly string[], now: Instant): void {
  tx.queue`
    update invoices set status = 'overdue', updated_at = ${now}
     where organisation_id = ${tx.organisation} and id = any (${ids}) and status = 'sent'`;
}

/** The invoice with an externalReference (interface 4.5). While the caller has locked the invoice numbers, none is inserted. */
export async function invoiceOfReference(tx: Tx, reference: string): Promise<Invoice | null> {
  const [row] = await tx.sql<WholeRow>`
    ${whole(tx)} and i.external_reference = ${reference}`;
  return row ? fromRow(row) : null;
}

/** The invoices of a customer subscription, newest first. */
export async function invoicesOfSubscription(
  tx: Tx,
  subscription: CustomerSubscriptionId,
  query: PageQuery,
): Promise<Invoice[]> {
  const rows = await tx.sql<WholeRow>`
    ${whole(tx)} and i.id in (select b.invoice_id ${fromBills(tx)}
        and b.customer_subscription_id = ${subscription})
      ${onPage(query, part`i.id`)}
     ${newestFirst(query, part`i.id`)}`;
  return rows.map(fromRow);
}

/** Locks a customer's oldest open invoices in one currency, at most `limit`, for a credit to be applied to them. */
export async function lockOldestOpenInvoices(
  tx: Tx,
  customer: CustomerId,
  currency: string,
  limit: number,
): Promise<Invoice[]> {
  const rows = await locking(tx, "invoice").sql<WholeRow>`
    ${whole(tx)} and i.customer_id = ${customer} and i.currency = ${currency}
       and i.status ${IN_OPEN} order by i.issue_date, i.id limit ${limit} for no key update of i`;
  return rows.map(fromRow);
}

/** Inserts an allocation, which reduces the balance; the caller updates `paid` of the invoice. */
export function insertAllocation(tx: Tx, invoice: InvoiceId, allocation: Allocation, now: Instant): void {
  const offline = allocation.source === "offline" ? allocation : null;
  tx.queue`
    insert into invoice_payments (organisation_id, id, invoice_id, source, subject, method, reference, amount_cents, paid_at, created_at)
    values (${tx.organisation}, ${allocation.id}, ${invoice}, ${allocation.source},
      ${allocation.source === "offline" ? null : allocation.subject}, ${offline?.method ?? null}, ${offline?.reference ?? null},
      ${allocation.amount}, ${allocation.paidAt}, ${now})`;
}

/** Oldest first. */
export async function allocationsOf(tx: Tx, invoice: InvoiceId): Promise<Allocation[]> {
  const rows = await tx.sql<InvoicePaymentsRow>`
    select * from invoice_payments where organisation_id = ${tx.organisation} and invoice_id = ${invoice} order by id`;
  return rows.map(allocationFromRow);
}

function allocationFromRow(row: InvoicePaymentsRow): Allocation {
  const common = {
    id: row.id,
    amount: row.amount_cents,
    paidAt: row.paid_at,
  };
  return row.source === "offline"
    ? { ...common, source: "offline", method: row.method as PaymentMethod, reference: row.reference }
    : { ...common, source: row.source, subject: row.subject ?? "" };
}

/** Deletes the credits that were applied to a cancelled invoice; the caller updates `paid` of the invoice. */
export function deleteCreditAllocations(tx: Tx, invoice: InvoiceId): void {
  tx.queue`
    delete from invoice_payments
     where organisation_id = ${tx.organisation} and invoice_id = ${invoice} and source = 'credit_note'`;
}

/** A customer's issued invoices with one of these statuses, newest first, at most `limit`. Reads at most `limit` of each status. */
export async function invoicesOfCustomer(
  tx: Tx,
  customer: CustomerId,
  statuses: readonly InvoiceStatus[],
  limit: number,
): Promise<InvoiceHead[]> {
  const rows = await tx.sql<HeadRow>`
    select ${head(tx)} from unnest(${statuses}::text[]) s(status) cross join lateral (
        select * from invoices n where n.organisation_id = ${tx.organisation} and n.customer_id = ${customer} and n.status = s.status
           and n.issued_at is not null order by n.id desc limit ${limit}) i
      ${joinCustomer(tx, part`i.customer_id`)}
     order by i.id desc limit ${limit}`;
  return rows.map(headFromRow);
}

/** A payment that was made outside of any gateway; null when there is none. */
export async function findOfflinePayment(
  tx: Tx,
  id: string,
): Promise<{ readonly id: InvoicePaymentId; readonly invoiceId: InvoiceId; readonly amount: Cents } | null> {
  const [row] = await tx.sql<InvoicePaymentsRow>`
    select * from invoice_payments where organisation_id = ${tx.organisation} and id = ${id} and source = 'offline'`;
  return row ? { id: row.id, invoiceId: row.invoice_id, amount: row.amount_cents } : null;
}

/** The id of the credit application that a payment of an invoice is; null for another payment. */
export async function applicationOf(tx: Tx, invoice: string, payment: string): Promise<string | null> {
  const [row] = await tx.sql<{ subject: string }>`
    select subject from invoice_payments
     where organisation_id = ${tx.organisation} and invoice_id = ${invoice} and id = ${payment} and source = 'credit' and amount_cents > 0`;
  return row?.subject ?? null;
}

/**
 * Deletes a payment that was recorded by mistake, and keeps that it was undone; the caller has locked its invoice, and
 * updates `paid` of it.
 */
export function undoOfflinePayment(tx: Tx, id: InvoicePaymentId, now: Instant): void {
  tx.queue`
    insert into undone_invoice_payments (organisation_id, id, invoice_id, amount_cents, paid_at, undone_at)
    select organisation_id, id, invoice_id, amount_cents, paid_at, ${now} from invoice_payments
     where organisation_id = ${tx.organisation} and id = ${id} and source = 'offline'`;
  tx.queue`
    delete from invoice_payments where organisation_id = ${tx.organisation} and id = ${id} and source = 'offline'`;
}
