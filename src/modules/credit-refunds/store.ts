// Writes: credit_refunds, credit_refund_sources, credit_applications. Reads: transactions, invoices, invoice_payments,
// reconciliation_allocations, reconciliation_items, reconciliation_runs (for the credit that is left).

import { creditUsed, refundedOf, reversedOf, usedOf } from "../../domain/given-back.ts";
import { joinInvoice, joinPayment } from "../../domain/joins.ts";
import { newestFirst, onPage, type PageQuery } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import type { CreditRefundsRow } from "../../domain/rows.ts";
import type { CustomerId, InvoiceId, InvoicePaymentId, TransactionId } from "../../kernel/ids.ts";
import { type Cents, cents, ZERO } from "../../kernel/money.ts";
import { part, type Tx } from "../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { CreditApplication, CreditApplicationId, CreditPart, CreditRefund, CreditSource } from "./types.ts";

interface PartRow {
  readonly transaction: TransactionId | null;
  readonly reference: string | null;
  readonly payment: InvoicePaymentId | null;
  readonly invoice: InvoiceId | null;
  readonly match: string | null;
  readonly match_place: number | null;
  readonly item: string | null;
  readonly amount: number;
}

const partFromRow = (row: PartRow): CreditPart => ({ source: sourceFromRow(row), amount: cents(row.amount) });

function sourceFromRow({ transaction, reference, payment, invoice, match, match_place, item }: PartRow): CreditSource {
  if (transaction !== null) return { kind: "transaction", id: transaction, reference: reference ?? "" };
  if (match !== null) return { kind: "bank_line", id: match, place: match_place ?? 0, itemId: item ?? "" };
  return { kind: "invoice_payment", id: payment as InvoicePaymentId, invoiceId: invoice as InvoiceId };
}

/** The overpaid transactions whose credit is the customer's: the customer of the invoice, else the payer. */
const overpaidOf = (tx: Tx, customer: CustomerId, currency: string) => part`
      from transactions t left ${joinInvoice(tx, part`t.invoice_id`)}
     where t.organisation_id = ${tx.organisation} and t.overpaid_cents > 0 and t.currency = ${currency}
       and coalesce(i.customer_id, t.customer_id) = ${customer}`;

/**
 * The customer's credit that can be paid out or applied to an invoice, oldest payment first: overpayments, payments by hand of
 * invoices that were cancelled later, and parts of bank lines that staff have marked as overpaid. Subtracted is what was refunded
 * (a refund that the gateway has not made yet counts), reversed by a bank or used before. Credit notes are not included.
 */
export async function findCredit(tx: Tx, customer: CustomerId, currency: string): Promise<CreditPart[]> {
  const rows = await tx.sql<PartRow>`
    select transaction, reference, payment, invoice, match, match_place, item, amount from (
      select t.id as transaction, t.reference, null as payment, null as invoice, null as match,
             null::smallint as match_place, null as item, t.created_at,
             (t.overpaid_cents
               - ${refundedOf(tx, part`t.id`)} - ${reversedOf(tx, part`t.id`)} - ${usedOf(tx, part`t.id`)})::bigint as amount
        ${overpaidOf(tx, customer, currency)}
      union all
      select null, null, y.id, y.invoice_id, null, null, null, y.created_at,
             (y.amount_cents - coalesce((select sum(s.amount_cents) from ${creditUsed(tx)} s where s.invoice_payment_id = y.id), 0))::bigint
        from invoices i join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = i.id
         and y.source = 'offline'
       where i.organisation_id = ${tx.organisation} and i.customer_id = ${customer} and i.status = 'cancelled' and i.currency = ${currency}
      union all
      select null, null, null, null, a.match_id, a.place, a.item_id, m.matched_at,
             (a.amount_cents - coalesce((select sum(s.amount_cents) from ${creditUsed(tx)} s
               where s.match_id = a.match_id and s.match_place = a.place), 0))::bigint
        from reconciliation_allocations a
        join reconciliation_items m on m.organisation_id = ${tx.organisation} and m.id = a.item_id
        join reconciliation_runs u on u.organisation_id = ${tx.organisation} and u.id = m.run_id
       where a.organisation_id = ${tx.organisation} and a.subject = ${customer} and a.kind = 'customer_credit' and a.undone_at is null
         and u.currency = ${currency}) c
     where amount > 0 order by created_at, transaction, payment, match, match_place`;
  return rows.map(partFromRow);
}

/**
 * As `findCredit`, and locks the transactions. The caller has locked the customer's balance; without that lock no match
 * with credit is undone.
 */
export async function lockCredit(tx: Tx, customer: CustomerId, currency: string): Promise<CreditPart[]> {
  await locking(tx, "transaction").sql`
    select t.id ${overpaidOf(tx, customer, currency)} order by t.id for no key update of t`;
  return findCredit(tx, customer, currency);
}

/** How much of a transaction's credit was paid out or applied to invoices, in cents. */
export async function creditUsedOf(tx: Tx, transaction: TransactionId): Promise<Cents> {
  const [row] = await tx.sql<{ total: number }>`
    select coalesce(sum(s.amount_cents), 0)::bigint as total from ${creditUsed(tx)} s where s.transaction_id = ${transaction}`;
  return row ? cents(row.total) : ZERO;
}

/** Whether credit from a match was paid out or applied to an invoice. */
export async function isCreditOfMatchUsed(tx: Tx, match: string): Promise<boolean> {
  const rows = await tx.sql`
    select s.match_place from ${creditUsed(tx)} s where s.match_id = ${match} group by s.match_place having sum(s.amount_cents) <> 0`;
  return rows.length > 0;
}

/** Inserts credit that is applied to an invoice, or what is taken back of it. */
export function insertCreditApplication(tx: Tx, application: CreditApplication): void {
  const { source } = application;
  tx.queue`
    insert into credit_applications (organisation_id, id, customer_id, currency, invoice_id, transaction_id, invoice_payment_id, match_id,
                                     match_place, amount_cents, takes_back, reversal_id, applied_at)
    values (${tx.organisation}, ${application.id}, ${application.customerId}, ${application.currency}, ${application.invoiceId},
      ${idOf(source, "transaction")}, ${idOf(source, "invoice_payment")}, ${idOf(source, "bank_line")},
      ${source.kind === "bank_line" ? source.place : null}, ${application.amount}, ${application.takesBack?.application ?? null},
      ${application.takesBack?.reversal ?? null}, ${application.appliedAt})`;
}

/** A part of an application of a payment's credit: what of it pays its invoice, or what a reversal took back of it. */
export interface AppliedPart {
  readonly id: CreditApplicationId;
  readonly invoiceId: InvoiceId;
  /** In cents, above zero. */
  readonly amount: Cents;
}

/**
 * What pays invoices of the credit of a payment, newest first; a cancelled invoice has given it back. The caller has locked the customer's
 * balance, without which no credit is applied.
 */
export async function appliedOf(tx: Tx, transaction: TransactionId): Promise<AppliedPart[]> {
  return tx.sql<AppliedPart>`
    select p.id, p.invoice_id as "invoiceId", p.amount from (
      select a.id, a.invoice_id, (a.amount_cents + coalesce((select sum(b.amount_cents) from credit_applications b
               where b.organisation_id = ${tx.organisation} and b.takes_back = a.id), 0))::bigint as amount
        from credit_applications a
       where a.organisation_id = ${tx.organisation} and a.transaction_id = ${transaction} and a.takes_back is null) p
     where p.amount > 0 order by p.id desc`;
}

/** What reversals of a payment took back from invoices, by the reversal. */
export const takenBackOf = (
  tx: Tx,
  transaction: TransactionId,
): Promise<{ invoiceId: InvoiceId; amount: Cents; reversal: string }[]> =>
  tx.sql`
    select invoice_id as "invoiceId", (-sum(amount_cents))::bigint as amount, reversal_id as reversal from credit_applications
     where organisation_id = ${tx.organisation} and transaction_id = ${transaction} and reversal_id is not null
     group by invoice_id, reversal_id order by invoice_id`;

/** What pays an invoice of its customer's credit, newest first, with where it came from. The caller has locked the invoice. */
export async function creditOn(
  tx: Tx,
  invoice: InvoiceId,
): Promise<(CreditPart & { readonly id: CreditApplicationId })[]> {
  const rows = await tx.sql<PartRow & { readonly id: CreditApplicationId }>`
    select * from (
      select a.id, a.transaction_id as transaction, t.reference, a.invoice_payment_id as payment, y.invoice_id as invoice,
             a.match_id as match, a.match_place, m.item_id as item,
             (a.amount_cents + coalesce((select sum(b.amount_cents) from credit_applications b
               where b.organisation_id = ${tx.organisation} and b.takes_back = a.id), 0))::bigint as amount
        from credit_applications a
        left ${joinPayment(tx, part`a.transaction_id`)}
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and y.id = a.invoice_payment_id
        left join reconciliation_allocations m on m.organisation_id = ${tx.organisation}
          and m.match_id = a.match_id and m.place = a.match_place
       where a.organisation_id = ${tx.organisation} and a.invoice_id = ${invoice} and a.takes_back is null) c
     where c.amount > 0 order by c.id desc`;
  return rows.map((row) => ({ ...partFromRow(row), id: row.id }));
}

const idOf = (source: CreditSource, kind: CreditSource["kind"]) => (source.kind === kind ? source.id : null);
const SOURCES: RowColumns<CreditPart & { readonly line: number }> = {
  line: ["integer", ({ line }) => line],
  transaction_id: ["text", ({ source }) => idOf(source, "transaction")],
  invoice_payment_id: ["text", ({ source }) => idOf(source, "invoice_payment")],
  match_id: ["text", ({ source }) => idOf(source, "bank_line")],
  match_place: ["smallint", ({ source }) => (source.kind === "bank_line" ? source.place : null)],
  amount_cents: ["bigint", ({ amount }) => amount],
};

/** Inserts a credit refund with its parts. */
export function insertCreditRefund(tx: Tx, refund: CreditRefund): void {
  tx.queue`
    insert into credit_refunds (organisation_id, id, customer_id, currency, amount_cents, method, reason, created_at)
    values (${tx.organisation}, ${refund.id}, ${refund.customerId}, ${refund.currency}, ${refund.amount}, ${refund.method},
      ${refund.reason}, ${refund.createdAt})`;
  const parts = refund.parts.map((taken, place) => ({ ...taken, line: place + 1 }));
  tx.queue`
    insert into credit_refund_sources (organisation_id, credit_refund_id, line, transaction_id, invoice_payment_id,
                                       match_id, match_place, amount_cents)
    select ${tx.organisation}, ${refund.id}, n.* from ${rowsOf(parts, SOURCES)} returning line`;
}

/** The credit refund with an id; null when there is none. */
export async function findCreditRefund(
  tx: Tx,
  id: string,
): Promise<Pick<CreditRefund, "id" | "currency" | "amount"> | null> {
  const [row] = await tx.sql<CreditRefundsRow>`
    select * from credit_refunds where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? { id: row.id, currency: row.currency, amount: row.amount_cents } : null;
}

/** A customer's credit refunds, newest first. */
export async function listCreditRefunds(tx: Tx, customer: string, query: PageQuery): Promise<CreditRefund[]> {
  const rows = await tx.sql<CreditRefundsRow & { parts: PartRow[] }>`
    select r.*, (select json_agg(json_build_object('transaction', s.transaction_id, 'reference', t.reference, 'payment',
                          s.invoice_payment_id,
                          'invoice', y.invoice_id, 'match', s.match_id, 'match_place', s.match_place, 'item', a.item_id,
                          'amount', s.amount_cents) order by s.line)
                   from credit_refund_sources s
                   left ${joinPayment(tx, part`s.transaction_id`)}
                   left join invoice_payments y on y.organisation_id = ${tx.organisation} and y.id = s.invoice_payment_id
                   left join reconciliation_allocations a on a.organisation_id = ${tx.organisation}
                     and a.match_id = s.match_id and a.place = s.match_place
                  where s.organisation_id = ${tx.organisation} and s.credit_refund_id = r.id) as parts
      from credit_refunds r where r.organisation_id = ${tx.organisation} and r.customer_id = ${customer}
      ${onPage(query, part`r.id`)}
     ${newestFirst(query, part`r.id`)}`;
  return rows.map((row) => ({
    id: row.id,
    customerId: row.customer_id,
    currency: row.currency,
    amount: row.amount_cents,
    method: "manual",
    reason: row.reason,
    parts: row.parts.map(partFromRow),
    createdAt: row.created_at,
  }));
}
