// Writes nothing. Reads: invoices.

import { CUSTOMER_LABEL, joinCustomer } from "../../../domain/customer-name.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import { joinInvoice } from "../../../domain/joins.ts";
import type { CustomerId, InvoiceId } from "../../../kernel/ids.ts";
import { type Cents, cents } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import { NEAREST } from "../../../platform/found.ts";

/** An issued invoice that is not paid. */
export interface OpenInvoice {
  readonly id: InvoiceId;
  readonly number: string;
  readonly due: Cents;
  readonly dueDate: CalendarDay | null;
  readonly customerId: CustomerId;
  readonly name: string;
}

interface OpenInvoiceRow {
  readonly id: InvoiceId;
  readonly number: string;
  readonly due: number;
  readonly due_date: CalendarDay | null;
  readonly customer_id: CustomerId;
  readonly name: string;
}

const openInvoiceOf = ({ due, due_date, customer_id, ...row }: OpenInvoiceRow): OpenInvoice => ({
  ...row,
  due: cents(due),
  dueDate: due_date,
  customerId: customer_id,
});

/** An open invoice `i`, with its customer `c`. */
const COLUMNS = part`i.id, i.number, (i.total_cents - i.paid_cents)::bigint as due, i.due_date, i.customer_id, ${CUSTOMER_LABEL} as name`;

/** The most invoices that are shown for a line by their number and amount, and by customer. */
const SHOWN_MAX = 60;

/**
 * Issued invoices that are not paid, at most 60: those with these numbers, then those with exactly this amount due, the
 * oldest first of each. For the amount, the newest 5000 with this total and the newest 5000 that are partly paid are
 * read.
 */
export async function openInvoices(
  tx: Tx,
  {
    numbers,
    amount,
    currency,
  }: { readonly numbers: readonly string[]; readonly amount: Cents; readonly currency: string },
): Promise<OpenInvoice[]> {
  const rows = await tx.sql<OpenInvoiceRow>`
    with found as (
      select id from invoices where organisation_id = ${tx.organisation} and number = any (${numbers})
      union
      (select n.id from (select * from invoices where organisation_id = ${tx.organisation} and total_cents = ${amount}
                         order by id desc limit ${NEAREST}) n
        where n.status in ('sent', 'overdue') and n.currency = ${currency} order by n.issue_date, n.id limit ${SHOWN_MAX})
      union
      (select n.id from (select * from invoices where organisation_id = ${tx.organisation} and status = 'partially_paid'
                         order by id desc limit ${NEAREST}) n
        where n.total_cents - n.paid_cents = ${amount} and n.currency = ${currency} order by n.issue_date, n.id limit ${SHOWN_MAX}))
    select ${COLUMNS}
      from found f ${joinInvoice(tx, part`f.id`)}
      ${joinCustomer(tx, part`i.customer_id`)}
     where i.status ${IN_OPEN} and i.currency = ${currency}
     order by i.number = any (${numbers}) desc, i.issue_date, i.id limit ${SHOWN_MAX}`;
  return rows.map(openInvoiceOf);
}

const INVOICES_EACH = 12;

/** Issued invoices of these customers that are not paid, the oldest of each, at most 60 together. */
export async function openInvoicesOf(tx: Tx, customers: readonly string[], currency: string): Promise<OpenInvoice[]> {
  if (customers.length === 0) return [];
  const rows = await tx.sql<OpenInvoiceRow>`
    select ${COLUMNS}
      from unnest(${customers}::text[]) with ordinality k(id, place)
      ${joinCustomer(tx, part`k.id`)}
     cross join lateral (
       select n.* from invoices n
        where n.organisation_id = ${tx.organisation} and n.customer_id = k.id and n.status ${IN_OPEN}
          and n.currency = ${currency} order by n.issue_date, n.id limit ${INVOICES_EACH}) i
     order by k.place, i.issue_date, i.id limit ${SHOWN_MAX}`;
  return rows.map(openInvoiceOf);
}
