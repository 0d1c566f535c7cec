// Writes nothing. Reads: transactions, invoice_payments, undone_invoice_payments, reversals, invoices,
// customer_balances.

import { CUSTOMER_NAME, joinCustomer } from "../../domain/customer-name.ts";
import { IN_OPEN } from "../../domain/invoices.ts";
import { joinInvoice } from "../../domain/joins.ts";
import { fromPostedLines } from "../../domain/journal.ts";
import { type ListQuery, oldestFirst, onPageUp } from "../../domain/lists.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { addDays, startOfDay } from "../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx } from "../../platform/database.ts";
import { FIRST_DAYS } from "./rules.ts";
import type { AgedAmounts, AgedDebtor, AgedQuestion } from "./types.ts";

/**
 * The beginning of a statement: `debtor`, a row for each customer who owed something or had credit at the end of the
 * day. It is computed from what is open now, minus what was posted since, so a day further back costs more
 * (decisions.md#past-debt-from-present-debt). An invoice without a due date is not past due.
 */
function debtors(tx: Tx, { asAt, currency }: AgedQuestion): Part {
  const until = startOfDay(addDays(asAt, 1));
  return part`
  with later as materialized (
    select l.amount_cents, l.account, l.customer_id, e.kind, e.subject ${fromPostedLines(tx)}
     where l.organisation_id = ${tx.organisation} and l.occurred_at >= ${until} and l.currency = ${currency}
       and l.account in ('receivable', 'customer_credit')),
  moved as (
    select m.invoice_id, sum(m.amount_cents) as amount from (
      select l.amount_cents, case when l.kind in ('invoice', 'invoice_cancelled') then l.subject
               when l.kind = 'credit_application' then split_part(l.subject, ':', 1)
               else coalesce(k.invoice_id, t.invoice_id, y.invoice_id, a.invoice_id, g.invoice_id) end as invoice_id
        from later l
        left join invoice_payments k on k.organisation_id = ${tx.organisation} and l.kind = 'credit_use' and k.subject = l.subject
        left join transactions t on t.organisation_id = ${tx.organisation} and l.kind = 'payment' and t.reference = l.subject
        left join invoice_payments y on y.organisation_id = ${tx.organisation}
          and l.kind in ('offline_payment', 'offline_payment_reversal') and y.id = l.subject
        left join undone_invoice_payments a on a.organisation_id = ${tx.organisation}
          and l.kind in ('offline_payment', 'offline_payment_reversal') and a.id = l.subject
        left join reversals w on w.organisation_id = ${tx.organisation} and l.kind = 'reversal' and w.id = l.subject
        left join transactions g on g.organisation_id = ${tx.organisation} and g.id = w.transaction_id
       where l.account = 'receivable') m group by m.invoice_id),
  open_now as (
    select id, total_cents - paid_cents as due from invoices
     where organisation_id = ${tx.organisation} and status ${IN_OPEN} and currency = ${currency}),
  owed as (
    select i.customer_id, d.due, width_bucket(${asAt}::date - coalesce(i.due_date, ${asAt}::date), ${FIRST_DAYS}::int[]) as age
      from open_now o full join moved m on m.invoice_id = o.id
     cross join lateral (select coalesce(o.due, 0) - coalesce(m.amount, 0) as due) d
      ${joinInvoice(tx, part`coalesce(o.id, m.invoice_id)`)} where d.due <> 0),
  credited as (
    select b.customer_id, b.credit_cents + coalesce(c.amount, 0) as credit from customer_balances b
      left join (select customer_id, sum(amount_cents) as amount from later where account = 'customer_credit' group by customer_id) c
        on c.customer_id = b.customer_id
     where b.organisation_id = ${tx.organisation} and b.currency = ${currency} and b.credit_cents + coalesce(c.amount, 0) <> 0),
  aged as (
    select customer_id, coalesce(sum(due) filter (where age = 0), 0) as current,
           coalesce(sum(due) filter (where age = 1), 0) as days30,
           coalesce(sum(due) filter (where age = 2), 0) as days60,
           coalesce(sum(due) filter (where age = 3), 0) as days90,
           coalesce(sum(due) filter (where age = 4), 0) as days120,
           coalesce(sum(due) filter (where age = 5), 0) as older,
           sum(due) as total from owed group by customer_id),
  debtor as (
    select coalesce(a.customer_id, c.customer_id) as customer_id, coalesce(current, 0) as current,
           coalesce(days30, 0) as days30, coalesce(days60, 0) as days60, coalesce(days90, 0) as days90,
           coalesce(days120, 0) as days120, coalesce(older, 0) as older, coalesce(total, 0) as total,
           coalesce(credit, 0) as credit
      from aged a full join credited c on c.customer_id = a.customer_id)`;
}

type AmountsRow = Readonly<Record<keyof AgedAmounts, number>>;
const amountsOf = ({ current, days30, days60, days90, days120, older, total, credit }: AmountsRow): AgedAmounts => ({
  current: cents(current),
  days30: cents(days30),
  days60: cents(days60),
  days90: cents(days90),
  days120: cents(days120),
  older: cents(older),
  total: cents(total),
  credit: cents(credit),
});

/** What all customers owed, and their credit. */
export async function agedTotals(tx: Tx, asked: AgedQuestion): Promise<AgedAmounts & { readonly debtors: number }> {
  const [row] = await tx.sql<AmountsRow & { debtors: number }>`
    ${debtors(tx, asked)}
    select count(*)::int as debtors, coalesce(sum(current), 0)::bigint as current, coalesce(sum(days30), 0)::bigint as days30,
           coalesce(sum(days60), 0)::bigint as days60, coalesce(sum(days90), 0)::bigint as days90,
           coalesce(sum(days120), 0)::bigint as days120, coalesce(sum(older), 0)::bigint as older,
           coalesce(sum(total), 0)::bigint as total, coalesce(sum(credit), 0)::bigint as credit from debtor`;
  const none = { current: 0, days30: 0, days60: 0, days90: 0, days120: 0, older: 0, total: 0, credit: 0 };
  return { ...amountsOf(row ?? none), debtors: row?.debtors ?? 0 };
}

/**
 * The customers in the order of their ids, at most `limit` after `startingAfter`; with `named`, only those that match
 * it.
 */
export async function agedDebtors(tx: Tx, asked: AgedQuestion, query: ListQuery): Promise<AgedDebtor[]> {
  const rows = await tx.sql<AmountsRow & { customer_id: CustomerId; name: string | null }>`
    ${debtors(tx, asked)}
    select d.customer_id, ${CUSTOMER_NAME} as name,
           d.current::bigint as current, d.days30::bigint as days30, d.days60::bigint as days60, d.days90::bigint as days90,
           d.days120::bigint as days120, d.older::bigint as older, d.total::bigint as total, d.credit::bigint as credit
      from debtor d ${joinCustomer(tx, part`d.customer_id`)}
     where true ${onPageUp(query, part`d.customer_id`)}
      ${query.named === undefined ? NOTHING : part`and d.customer_id = any (${query.named?.customers ?? []}::text[])`}
     ${oldestFirst(query, part`d.customer_id`)}`;
  return rows.map(({ customer_id, name, ...row }) => ({ customerId: customer_id, name, amounts: amountsOf(row) }));
}
