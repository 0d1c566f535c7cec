// Writes: credit_notes, credit_note_lines, credit_note_applications, credit_note_refunds. Reads: invoice_payments, refunds.

import { joinInvoice, joinPayment } from "../../domain/joins.ts";
import { postedTo } from "../../domain/journal.ts";
import { totalsOf } from "../../domain/list-totals.ts";
import { createdIn, type ListFilter, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import { IN_BOOKED } from "../../domain/refunds.ts";
import type { CreditNotesRow } from "../../domain/rows.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import { exemption } from "../../kernel/exemption.ts";
import type { CreditNoteId, CustomerId, InvoiceId, RefundId } from "../../kernel/ids.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { containing } from "../../kernel/text.ts";
import { type Instant, instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { RateLeft } from "./rules.ts";
import type { Application, CreditNote, CreditNoteLine } from "./types.ts";

interface WholeRow extends CreditNotesRow {
  /** Timestamps are text, since they come as JSON. */
  applications: { invoice: InvoiceId; amount: number; at: string }[];
  lines: { description: string; rate: string; exempt: boolean; tax: number; amount: number }[];
}

const fromRow = (row: WholeRow): CreditNote => ({
  id: row.id,
  number: row.number,
  status: row.status,
  customerId: row.customer_id,
  correctsInvoiceId: row.invoice_id,
  currency: row.currency,
  taxRate: row.tax_rate === null ? null : decimalOf(row.tax_rate),
  ...exemption(row.tax_exempt),
  lines: row.lines.map(({ description, rate, exempt, tax, amount }) => ({
    description,
    taxRate: decimalOf(rate),
    ...exemption(exempt),
    tax: cents(tax),
    amount: cents(amount),
  })),
  tax: row.tax_cents,
  amount: row.amount_cents,
  remaining: row.remaining_cents,
  reason: row.reason,
  transactionReference: row.transaction_reference,
  refundId: row.refund_id,
  applications: row.applications.map(({ invoice, amount, at }) => ({
    invoiceId: invoice,
    amount: cents(amount),
    appliedAt: instant(at),
  })),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Selects whole credit notes of the organisation as `n`; a condition may follow. */
const whole = (tx: Tx) => part`
  select n.*, (select coalesce(json_agg(json_build_object('invoice', a.invoice_id, 'amount', a.amount_cents, 'at', a.applied_at)
                        order by a.applied_at, a.invoice_id), '[]')
                 from credit_note_applications a where a.organisation_id = ${tx.organisation} and a.credit_note_id = n.id) as applications,
         (select coalesce(json_agg(json_build_object('description', b.description, 'rate', b.tax_rate::text, 'exempt',
                          b.tax_exempt, 'tax', b.tax_cents,
                          'amount', b.amount_cents) order by b.line), '[]')
                 from credit_note_lines b where b.organisation_id = ${tx.organisation} and b.credit_note_id = n.id) as lines
    from credit_notes n where n.organisation_id = ${tx.organisation}`;

const LINES: RowColumns<CreditNoteLine & { readonly line: number }> = {
  line: ["smallint", ({ line }) => line],
  description: ["text", ({ description }) => description],
  tax_rate: ["numeric", ({ taxRate }) => taxRate],
  tax_exempt: ["boolean", ({ taxExempt }) => taxExempt === true],
  tax_cents: ["bigint", ({ tax }) => tax],
  amount_cents: ["bigint", ({ amount }) => amount],
};

/** Inserts a credit note with its lines. Violates `credit_notes_transaction` when the payment has one already. */
export function insertCreditNote(tx: Tx, note: CreditNote): void {
  tx.queue`
    insert into credit_notes (organisation_id, id, number, status, customer_id, invoice_id, currency, tax_rate,
                              tax_exempt, tax_cents, amount_cents, remaining_cents, reason, transaction_reference,
                              refund_id, created_at, updated_at)
    values (${tx.organisation}, ${note.id}, ${note.number}, ${note.status}, ${note.customerId}, ${note.correctsInvoiceId},
      ${note.currency}, ${note.taxRate}, ${note.taxExempt === true}, ${note.tax}, ${note.amount}, ${note.remaining},
      ${note.reason}, ${note.transactionReference}, ${note.refundId}, ${note.createdAt}, ${note.updatedAt})`;
  const lines = note.lines.map((line, place) => ({ ...line, line: place + 1 }));
  if (lines.length > 0)
    tx.queue`
      insert into credit_note_lines (organisation_id, credit_note_id, line, description, tax_rate, tax_exempt, tax_cents, amount_cents)
      select ${tx.organisation}, ${note.id}, n.* from ${rowsOf(lines, LINES)} returning line`;
}

/** Updates the remaining amount, and the status. */
export function saveRemaining(tx: Tx, note: CreditNote): void {
  tx.queue`
    update credit_notes set remaining_cents = ${note.remaining}, status = ${note.status}, updated_at = ${note.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${note.id}`;
}

/** Inserts an application to an invoice; at most one for each note and invoice. */
export function insertApplication(tx: Tx, note: CreditNoteId, { invoiceId, amount, appliedAt }: Application): void {
  tx.queue`
    insert into credit_note_applications (organisation_id, credit_note_id, invoice_id, amount_cents, applied_at)
    values (${tx.organisation}, ${note}, ${invoiceId}, ${amount}, ${appliedAt})`;
}

/** Deletes all applications to an invoice; the caller updates what remains of each note. */
export function deleteApplications(tx: Tx, invoice: InvoiceId): void {
  tx.queue`delete from credit_note_applications where organisation_id = ${tx.organisation} and invoice_id = ${invoice}`;
}

/** Null when absent or another organisation's. */
export async function findCreditNote(tx: Tx, id: string): Promise<CreditNote | null> {
  const [row] = await tx.sql<WholeRow>`${whole(tx)} and n.id = ${id}`;
  return row ? fromRow(row) : null;
}

/** The invoices that these credit notes correct, by credit note. */
export async function invoicesCorrectedBy(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, InvoiceId>> {
  const rows = await tx.sql<{ id: CreditNoteId; invoice_id: InvoiceId }>`
    select id, invoice_id from credit_notes
     where organisation_id = ${tx.organisation} and id = any (${ids}) and invoice_id is not null`;
  return new Map(rows.map((row) => [row.id as string, row.invoice_id]));
}

/** The number of the credit note that credits a payment; null when there is none. */
export async function creditNoteOfPayment(tx: Tx, reference: string): Promise<string | null> {
  const [row] = await tx.sql<Pick<CreditNotesRow, "number">>`
    select number from credit_notes where organisation_id = ${tx.organisation} and transaction_reference = ${reference}`;
  return row?.number ?? null;
}

/** The credit note that was issued with a refund; null when there is none. */
export async function creditNoteOfRefund(tx: Tx, refund: string): Promise<CreditNote | null> {
  const [row] = await tx.sql<WholeRow>`${whole(tx)} and n.refund_id = ${refund}`;
  return row ? fromRow(row) : null;
}

/** Newest first; `q` is a part of a number, the amount, or the customer. */
export async function listCreditNotes(tx: Tx, query: ListQuery<"customerId">): Promise<CreditNote[]> {
  const rows = await tx.sql<WholeRow>`
    ${whole(tx)} ${recordsWanted(query)} ${onPage(query, part`n.id`)} ${newestFirst(query, part`n.id`)}`;
  return rows.map(fromRow);
}

/** How many credit notes match, and by currency their amounts and what remains of them. */
export const creditNoteTotals = (tx: Tx, query: ListFilter<"customerId">, countTo?: number) =>
  totalsOf(tx, countTo, {
    records: part`from credit_notes n where n.organisation_id = ${tx.organisation} ${recordsWanted(query)}`,
    currency: part`n.currency`,
    sums: { amount: part`n.amount_cents`, remaining: part`n.remaining_cents` },
  });

/** Condition: the list's filters and its search. */
const recordsWanted = (query: ListFilter<"customerId">) => part`
      ${when(query.customerId, (customerId) => part`and n.customer_id = ${customerId}`)}
      ${createdIn(query, "cn", { id: part`n.id`, createdAt: part`n.created_at` })}
      ${when(
        query.q || null,
        (q) => part`and (n.number ilike ${containing(q)}
                                               or n.amount_cents = any (${query.named?.amounts ?? []}::bigint[])
                                               or n.customer_id = any (${query.named?.customers ?? []}::text[]))`,
      )}`;

/** The amounts that credit notes took off an invoice, each with its rate; their sum is what was credited of it. */
export async function correctionsOf(tx: Tx, invoice: string): Promise<readonly RateLeft[]> {
  const rows = await tx.sql<{ rate: string; exempt: boolean; tax: Cents; amount: Cents }>`
    select n.tax_rate::text as rate, n.tax_exempt as exempt, n.tax_cents as tax, n.amount_cents as amount from credit_notes n
     where n.organisation_id = ${tx.organisation} and n.invoice_id = ${invoice} and n.tax_rate is not null
    union all
    select b.tax_rate::text, b.tax_exempt, b.tax_cents, b.amount_cents from credit_notes n
      join credit_note_lines b on b.organisation_id = ${tx.organisation} and b.credit_note_id = n.id
     where n.organisation_id = ${tx.organisation} and n.invoice_id = ${invoice}`;
  return rows.map(({ rate, exempt, tax, amount }) => ({
    taxRate: decimalOf(rate),
    ...exemption(exempt),
    tax,
    amount,
  }));
}

/** What credit notes that correct an invoice have given of it as credit, and the money that has paid it; in cents. */
export interface CreditOver {
  /** Not used: a refund settles it. */
  readonly open: Cents;
  /** Has paid other invoices. */
  readonly used: Cents;
  /** Payments without what was refunded. */
  readonly paid: Cents;
}

/** Null when no note that corrects the invoice has given anything as credit. */
export async function creditOverOf(tx: Tx, invoice: InvoiceId): Promise<CreditOver | null> {
  const [row] = await tx.sql<CreditOver>`
    select (select coalesce(sum(n.remaining_cents), 0)::bigint from credit_notes n
             where n.organisation_id = ${tx.organisation} and n.invoice_id = ${invoice}) as open,
           (select coalesce(sum(a.amount_cents), 0)::bigint from credit_notes n
              join credit_note_applications a on a.organisation_id = ${tx.organisation} and a.credit_note_id = n.id
                and a.invoice_id <> n.invoice_id
             where n.organisation_id = ${tx.organisation} and n.invoice_id = ${invoice}) as used,
           (select coalesce(sum(y.amount_cents), 0)::bigint from invoice_payments y
             where y.organisation_id = ${tx.organisation} and y.invoice_id = ${invoice} and y.source <> 'credit_note')
           - (select coalesce(sum(r.amount_cents), 0)::bigint from invoice_payments y
               join refunds r on r.organisation_id = ${tx.organisation} and r.transaction_id = y.subject and r.status <> 'failed'
              where y.organisation_id = ${tx.organisation} and y.invoice_id = ${invoice} and y.source = 'transaction') as paid`;
  return row && row.open + row.used > 0 ? row : null;
}

/** A refund of a payment of an invoice, and what of it no credit note accounts for. */
interface UnsettledRefund {
  readonly id: RefundId;
  readonly amount: Cents;
}

/**
 * The refunds of an invoice's payments of which no credit note accounts for a part; without what they took from credit
 * of the payment, and none of a cancelled invoice. Oldest first.
 */
export const unsettledRefunds = (tx: Tx, invoice: InvoiceId): Promise<UnsettledRefund[]> => tx.sql<UnsettledRefund>`
  select u.id, u.amount from (
    select r.id, ${postedTo(tx, "refunds", "refund", part`r.id`)}::bigint
           - coalesce((select sum(s.amount_cents) from credit_note_refunds s
              where s.organisation_id = ${tx.organisation} and s.refund_id = r.id and s.undone_at is null), 0)::bigint as amount
      from refunds r
      ${joinPayment(tx, part`r.transaction_id`)} and t.invoice_id = ${invoice}
      ${joinInvoice(tx, part`t.invoice_id`)} and i.status <> 'cancelled'
     where r.organisation_id = ${tx.organisation} and r.status ${IN_BOOKED}) u
   where u.amount > 0 order by u.id`;

/** Inserts what a refund settles of a credit note. */
export function insertSettlement(tx: Tx, note: CreditNoteId, refund: RefundId, amount: Cents, at: Instant): void {
  tx.queue`
    insert into credit_note_refunds (organisation_id, credit_note_id, refund_id, amount_cents, settled_at)
    values (${tx.organisation}, ${note}, ${refund}, ${amount}, ${at})`;
}

/** Marks what a refund had settled of credit notes as undone; answers the notes and amounts. */
export const undoSettlements = (
  tx: Tx,
  refund: RefundId,
  at: Instant,
): Promise<{ note: CreditNoteId; amount: Cents }[]> =>
  tx.sql<{ note: CreditNoteId; amount: Cents }>`
    update credit_note_refunds set undone_at = ${at}
     where organisation_id = ${tx.organisation} and refund_id = ${refund} and undone_at is null
    returning credit_note_id as note, amount_cents as amount`;

/** Locks credit notes that correct an invoice and have a remaining amount, and those with these ids; oldest first. */
export async function lockNotesOf(tx: Tx, invoice: InvoiceId | null, ids: readonly string[]): Promise<CreditNote[]> {
  const rows = await locking(tx, "credit note").sql<WholeRow>`
    ${whole(tx)} and (n.invoice_id = ${invoice} and n.remaining_cents > 0 or n.id = any (${ids}))
     order by n.id for no key update of n`;
  return rows.map(fromRow);
}

/** Locks a customer's credit notes in one currency that have a remaining amount, oldest first. */
export async function lockOpenCredits(tx: Tx, customer: CustomerId, currency: string): Promise<CreditNote[]> {
  const rows = await locking(tx, "credit note").sql<WholeRow>`
    ${whole(tx)} and n.customer_id = ${customer} and n.currency = ${currency}
       and n.remaining_cents > 0 order by n.id for no key update of n`;
  return rows.map(fromRow);
}

/** Locks the credit notes that are applied to an invoice, oldest first. */
export async function lockCreditsOfInvoice(tx: Tx, invoice: InvoiceId): Promise<CreditNote[]> {
  const rows = await locking(tx, "credit note").sql<WholeRow>`
    ${whole(tx)} and n.id in (
       select credit_note_id from credit_note_applications where organisation_id = ${tx.organisation} and invoice_id = ${invoice})
     order by n.id for no key update of n`;
  return rows.map(fromRow);
}
