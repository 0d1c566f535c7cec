// Writes nothing. Reads: invoice_payments, invoices, reconciliation_allocations.

import { CUSTOMER_LABEL, joinCustomer } from "../../../domain/customer-name.ts";
import { joinInvoice } from "../../../domain/joins.ts";
import type { CustomerId, InvoiceId } from "../../../kernel/ids.ts";
import { type Cents, cents } from "../../../kernel/money.ts";
import { type CalendarDay, calendarDay, type Instant, startOfDay } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import { NEAREST } from "../../../platform/found.ts";
import type { Item } from "../types.ts";
import { shownSpan } from "./candidates.ts";

/** A payment of an invoice that staff recorded and no statement has shown. */
export interface PaymentByHand {
  readonly id: string;
  readonly invoiceId: InvoiceId;
  readonly number: string;
  readonly customerId: CustomerId;
  readonly name: string;
  readonly amount: Cents;
  readonly paidOn: CalendarDay;
}

/** The newest invoices of a customer whose payments are read. */
const INVOICES_SEEN = 50;
const SHOWN_MAX = 20;

/**
 * Payments of invoices that were recorded by hand and that no statement has shown, at most 20: of invoices with these
 * numbers, then of this amount around the day, then of the newest 50 invoices of each of these customers around the
 * day, the nearest first. For the amount, the newest 5000 payments of invoices are read.
 */
export async function paymentsByHand(
  tx: Tx,
  { amount, date }: Pick<Item, "amount" | "date">,
  {
    numbers,
    customers,
    currency,
  }: { readonly numbers: readonly string[]; readonly customers: readonly string[]; readonly currency: string },
): Promise<PaymentByHand[]> {
  const [since, until] = shownSpan(date);
  const rows = await tx.sql<{
    id: string;
    invoice_id: InvoiceId;
    number: string;
    customer_id: CustomerId;
    name: string;
    amount_cents: number;
    paid_at: Instant;
  }>`
    with found as (
      select p.id from invoices i join invoice_payments p on p.organisation_id = ${tx.organisation} and p.invoice_id = i.id
       where i.organisation_id = ${tx.organisation} and i.number = any (${numbers})
      union
      select n.id from (select * from invoice_payments where organisation_id = ${tx.organisation} order by id desc limit ${NEAREST}) n
       where n.amount_cents = ${amount} and n.source = 'offline' and n.paid_at between ${since} and ${until}
      union
      select p.id from unnest(${customers}::text[]) k(id) cross join lateral (
        select n.id from invoices n where n.organisation_id = ${tx.organisation} and n.customer_id = k.id
         order by n.id desc limit ${INVOICES_SEEN}) i
        join invoice_payments p on p.organisation_id = ${tx.organisation} and p.invoice_id = i.id
       where p.source = 'offline' and p.paid_at between ${since} and ${until})
    select p.id, p.invoice_id, i.number, i.customer_id, ${CUSTOMER_LABEL} as name, p.amount_cents, p.paid_at
      from found f join invoice_payments p on p.organisation_id = ${tx.organisation} and p.id = f.id
      ${joinInvoice(tx, part`p.invoice_id`)}
      ${joinCustomer(tx, part`i.customer_id`)}
     where p.source = 'offline' and i.currency = ${currency}
       and not exists (select from reconciliation_allocations a
                        where a.organisation_id = ${tx.organisation} and a.subject = p.id and a.undone_at is null)
     order by i.number = any (${numbers}) desc, p.amount_cents = ${amount} desc,
       abs(extract(epoch from p.paid_at - ${startOfDay(date)})), p.id limit ${SHOWN_MAX}`;
  return rows.map(({ invoice_id, customer_id, amount_cents, paid_at, ...row }) => ({
    ...row,
    invoiceId: invoice_id,
    customerId: customer_id,
    amount: cents(amount_cents),
    paidOn: calendarDay(paid_at),
  }));
}
