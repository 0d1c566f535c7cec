// Writes nothing. Reads: reversals, journal_entries, journal_lines, transactions, invoice_payments.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Reversals against their payments, the books and the invoices that they reopened (interface 16.20): a reversal of a
 * completed payment is posted once, in full, through the gateway account of the payment; a reversal that waits belongs
 * to a payment that has not completed, and is not posted.
 */
const reversals = examination(
  "reversals",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, transaction_id, amount_cents, reversed_at from reversals
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject, e.occurred_at, coalesce(-sum(l.amount_cents) filter (where l.account = 'gateway_clearing'), 0) as taken,
             coalesce(sum(l.amount_cents) filter (where l.account = 'receivable'), 0) as reopened,
             string_agg(distinct coalesce(l.gateway_account_id, ''), ',') filter (where l.account = 'gateway_clearing') as through,
             coalesce(string_agg(distinct l.currency, ','), '') as currency
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'reversal' and e.subject in (select id from part)
       group by e.subject, e.occurred_at),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
        left join entry e on e.subject = p.id
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and y.source = 'reversal' and y.subject = p.id
       cross join lateral (values
        ('reversal_of_paid', (t.paid_at is not null)::text, (p.reversed_at is not null)::text, true),
        ('reversal_entry', (p.reversed_at is not null)::text, (e.subject is not null)::text, true),
        ('reversal_entry_taken', p.amount_cents::text, e.taken::text, e.subject is not null),
        ('reversal_entry_gateway_account', t.gateway_account_id, e.through, e.subject is not null),
        ('reversal_entry_currency', t.currency, e.currency, e.subject is not null),
        ('reversal_entry_date', p.reversed_at::text, e.occurred_at::text, e.subject is not null),
        ('reversal_reopened', coalesce(e.reopened, 0)::text, coalesce(-y.amount_cents, 0)::text, true),
        ('reversal_of_invoice', t.invoice_id, y.invoice_id, y.id is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const reversalExaminations: readonly Examination[] = [reversals];
