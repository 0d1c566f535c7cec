// Writes nothing. Reads: customers, journal_lines, refunds, reversals, transactions, invoices, credit_notes, invoice_payments,
// reconciliation_allocations, reconciliation_items, reconciliation_runs, due_work.

import { creditUsed } from "../../domain/given-back.ts";
import { IN_OPEN } from "../../domain/invoices.ts";
import { IN_BOOKED } from "../../domain/refunds.ts";
import { part } from "../../platform/database.ts";
import type { DueWork } from "../../platform/due-work.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Customers, in every currency: the receivable balance in the books is the open amount of their invoices; the credit in
 * the books is what was overpaid, credited or paid on cancelled invoices, minus what was refunded, paid out or taken
 * back by a bank. In `currency`, their standing follows from the books (interface 2.14). An invoice that is late by
 * `today` may still wait for its `overdue` work.
 */
const customers = (currency: string, overdue: DueWork) =>
  examination(
    "customers",
    (tx, { after, limit, today }) => part`
    with part as materialized (
      select id, active, standing from customers
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    receivables as (
      select customer_id, currency, sum(amount_cents) as balance from journal_lines
       where organisation_id = ${tx.organisation} and account = 'receivable' and customer_id in (select id from part)
       group by customer_id, currency),
    booked_credit as (
      select customer_id, currency, -sum(amount_cents) as credit from journal_lines
       where organisation_id = ${tx.organisation} and account = 'customer_credit' and customer_id in (select id from part)
       group by customer_id, currency),
    computed_credit as (
      select customer_id, currency, sum(amount_cents) as credit from (
        select coalesce(i.customer_id, t.customer_id) as customer_id, t.currency,
               greatest(0, t.overpaid_cents - coalesce((select sum(b.amount_cents) from refunds b
                                                        where b.organisation_id = ${tx.organisation}
                 and b.transaction_id = t.id and b.status ${IN_BOOKED}), 0)
                 - coalesce((select sum(w.amount_cents) from reversals w where w.organisation_id = ${tx.organisation}
                 and w.transaction_id = t.id and w.reversed_at is not null), 0)
                 - coalesce((select sum(s.amount_cents) from ${creditUsed(tx)} s where s.transaction_id = t.id), 0)) as amount_cents
          from transactions t left join invoices i on i.organisation_id = ${tx.organisation} and i.id = t.invoice_id
         where t.organisation_id = ${tx.organisation} and t.overpaid_cents > 0
        union all
        select customer_id, currency, remaining_cents from credit_notes where organisation_id = ${tx.organisation} and remaining_cents > 0
        union all
        select i.customer_id, i.currency, y.amount_cents - coalesce((select sum(s.amount_cents) from ${creditUsed(tx)} s
                 where s.invoice_payment_id = y.id), 0) from invoices i
          join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = i.id and y.source = 'offline'
         where i.organisation_id = ${tx.organisation} and i.status = 'cancelled'
        union all
        select a.subject, u.currency, a.amount_cents - coalesce((select sum(s.amount_cents) from ${creditUsed(tx)} s
                 where s.match_id = a.match_id and s.match_place = a.place), 0) from reconciliation_allocations a
          join reconciliation_items m on m.organisation_id = ${tx.organisation} and m.id = a.item_id
          join reconciliation_runs u on u.organisation_id = ${tx.organisation} and u.id = m.run_id
         where a.organisation_id = ${tx.organisation} and a.kind = 'customer_credit' and a.undone_at is null
           and a.subject in (select id from part)) credits
       where customer_id in (select id from part) group by customer_id, currency),
    open as (
      select i.customer_id, i.currency, sum(i.total_cents - i.paid_cents) as due, bool_or(i.due_date < ${today}) as late,
             bool_or(i.due_date is not null and not exists (select from due_work w where w.organisation_id = ${tx.organisation}
               and w.kind = ${overdue.kind} and w.subject = i.id)) as marked_late
        from invoices i where i.organisation_id = ${tx.organisation} and i.customer_id in (select id from part)
         and i.status ${IN_OPEN}
       group by i.customer_id, i.currency),
    standings as (
      select p.id, case when not p.active then 'suspended' when coalesce(o.balance, 0) <= 0 and n.due is null then 'good'
                        when n.marked_late or n.late and p.standing = 'overdue' then 'overdue'
                            else 'owing' end as expected, p.standing as found
        from part p left join receivables o on o.customer_id = p.id and o.currency = ${currency}
        left join open n on n.customer_id = p.id and n.currency = ${currency}),
    faults as (
      select id, 'standing' as rule, expected, found from standings where expected <> found
      union all
      select coalesce(n.customer_id, o.customer_id), 'receivable' as rule, coalesce(n.due, 0)::text, coalesce(o.balance, 0)::text
        from receivables o full join open n on n.customer_id = o.customer_id and n.currency = o.currency
       where coalesce(n.due, 0) <> coalesce(o.balance, 0)
      union all
      select coalesce(k.customer_id, h.customer_id), 'credit' as rule, coalesce(k.credit, 0)::text, coalesce(h.credit, 0)::text
        from booked_credit h full join computed_credit k on k.customer_id = h.customer_id and k.currency = h.currency
       where coalesce(k.credit, 0) <> coalesce(h.credit, 0))`,
  );

/** What `verify` recomputes. `currency` is the one of standings; `overdue` is the work that marks invoices overdue. */
export const customerExaminations = (currency: string, overdue: DueWork): readonly Examination[] => [
  customers(currency, overdue),
];
