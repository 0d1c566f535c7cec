// Writes nothing. Reads: reconciliation_runs, reconciliation_items, reconciliation_allocations, awaited_payments,
// transactions, refunds, reversals, invoice_payments, invoices, journal_entries, journal_lines.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Runs against their items, and the rows of a file against what became of each: what is no line was left out for a
 * reason. Nothing of a statement that was withdrawn is matched or left to match.
 */
const runs = examination(
  "reconciliation_runs",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, row_counts, withdrawn_at, item_count, matched_count, unmatched_count, not_received_count,
             matched_cents, unmatched_cents
        from reconciliation_runs where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    counted as (
      select run_id, count(*) as items, count(*) filter (where status = 'matched') as matched,
             count(*) filter (where status = 'unmatched') as unmatched, count(*) filter (where status = 'not_received') as not_received,
             coalesce(sum(amount_cents) filter (where status = 'matched'), 0) as matched_cents,
             coalesce(sum(amount_cents) filter (where status = 'unmatched'), 0) as unmatched_cents
        from reconciliation_items where organisation_id = ${tx.organisation} and run_id in (select id from part) group by run_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join counted c on c.run_id = p.id
       left join lateral (select sum(value::bigint) filter (where key not in ('total', 'charges')) as rows,
                sum(value::bigint) filter (where key in ('lines', 'duplicates', 'charges')) as lines
           from jsonb_each_text(p.row_counts)) n on p.row_counts is not null
       cross join lateral (values
        ('run_rows', p.row_counts ->> 'total', n.rows::text),
        ('run_lines', n.lines::text, case when n.lines is not null then (coalesce(c.items, 0) - coalesce(c.not_received, 0))::text end),
        ('run_withdrawn', case when p.withdrawn_at is not null then '0 0 0' end,
         case when p.withdrawn_at is not null then concat_ws(' ', coalesce(c.matched, 0), coalesce(c.unmatched, 0),
                                                             coalesce(c.not_received, 0)) end),
        ('run_totals', concat_ws(' ', coalesce(c.items, 0), coalesce(c.matched, 0), coalesce(c.unmatched, 0), coalesce(c.not_received, 0)),
         concat_ws(' ', p.item_count, p.matched_count, p.unmatched_count, p.not_received_count)),
        ('run_totals', concat_ws(' ', coalesce(c.matched_cents, 0), coalesce(c.unmatched_cents, 0)),
           concat_ws(' ', p.matched_cents, p.unmatched_cents))
      ) r(rule, expected, found) where r.expected is distinct from r.found)`,
);

/**
 * Lines against their matches, and matches against the books: the sum of the parts of a matched line is its amount;
 * each part has its entry, from the ledger account in which the money was, and an undone part is reversed; a part that
 * recorded a payment names its invoice. The amounts shown of a payment never exceed it. An id of the bank is one line,
 * but of a statement that was withdrawn. `transfers` are the gateway types whose money goes directly to the bank.
 */
const items = (transfers: readonly string[]) =>
  examination(
    "reconciliation_items",
    (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, amount_cents, match_id, transaction_reference, bank_key, date, run_id from reconciliation_items
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    shares as materialized (
      select a.item_id, a.match_id, a.kind, a.subject, a.amount_cents, a.posted, a.undone_at,
             case when a.kind = 'payment' and t.gateway_type = any (${transfers}) then 'bank'
                  when a.kind = 'refund' and b.method = 'manual' then 'bank' when a.kind in ('invoice_payment', 'credit_refund') then 'bank'
                  when a.kind = 'bank_fee' then 'bank_charges' when a.kind = 'own_transfer' then 'own_transfers'
                  when a.kind = 'customer_credit' then 'customer_credit' else 'gateway_clearing' end as account,
             t.reference, t.amount_cents as paid_cents, a.invoice_id,
             case when a.recorded then coalesce(y.invoice_id, i.id, 'the invoice that was paid') end as invoice,
             (select string_agg(l.account || ' ' || l.amount_cents, ',' order by l.account <> 'bank_reconciled') from journal_entries e
                join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
               where e.organisation_id = ${tx.organisation} and e.kind = 'bank_match'
                 and e.subject = a.match_id || ':' || a.place) as entered,
             exists (select from journal_entries e where e.organisation_id = ${tx.organisation} and e.kind = 'bank_match_reversal'
                        and e.subject = a.match_id || ':' || a.place) as reversed
        from reconciliation_allocations a
        left join transactions t on t.organisation_id = ${tx.organisation} and a.kind = 'payment' and t.id = a.subject
        left join refunds b on b.organisation_id = ${tx.organisation} and a.kind = 'refund' and b.id = a.subject
        left join invoice_payments y on y.organisation_id = ${tx.organisation} and a.recorded and y.id = a.subject
        left join invoices i on i.organisation_id = ${tx.organisation} and i.id = a.invoice_id
       where a.organisation_id = ${tx.organisation} and a.item_id in (select id from part)),
    standing as (
      select p.id, p.status, p.amount_cents, p.transaction_reference,
             coalesce(sum(s.amount_cents) filter (where s.match_id = p.match_id), 0) as shared,
             count(s.item_id) filter (where s.match_id is distinct from p.match_id) as stray, min(s.reference) as first_reference,
             coalesce(bool_or(s.reference = p.transaction_reference), false) as named
        from part p left join shares s on s.item_id = p.id and s.undone_at is null
       group by p.id, p.status, p.amount_cents, p.transaction_reference),
    shown as (
      select s.subject, sum(a.amount_cents) as cents from (select distinct subject from shares where kind = 'payment'
                                                           and undone_at is null) s
        join reconciliation_allocations a on a.organisation_id = ${tx.organisation} and a.subject = s.subject
          and a.undone_at is null group by s.subject),
    faults as (
      select f.id, r.rule, r.expected, r.found from standing f cross join lateral (values
        ('item_allocations', case f.status when 'matched' then f.amount_cents else 0 end::text, f.shared::text, true),
        ('item_match', '0', f.stray::text, true),
        ('item_transaction', 'true', f.named::text, f.status = 'matched' and f.first_reference is not null)
      ) r(rule, expected, found, applies) where r.applies and r.expected is distinct from r.found
      union all
      select p.id, 'line_twice' as rule, null as expected, 'the line ' || min(o.id) as found from part p
        join reconciliation_runs u on u.organisation_id = ${tx.organisation} and u.id = p.run_id and u.withdrawn_at is null
        join reconciliation_items o on o.organisation_id = ${tx.organisation} and o.bank_key = p.bank_key and o.date = p.date
         and o.amount_cents = p.amount_cents and o.id < p.id and o.status <> 'duplicate'
        join reconciliation_runs v on v.organisation_id = ${tx.organisation} and v.id = o.run_id and v.withdrawn_at is null
       where p.status <> 'duplicate' group by p.id
      union all
      select s.item_id, r.rule, r.expected, r.found from shares s left join shown h on s.kind = 'payment' and h.subject = s.subject
       cross join lateral (values
        ('allocation_entry', case when s.posted then 'bank_reconciled ' || s.amount_cents || ',' || s.account || ' '
           || -s.amount_cents end, s.entered),
        ('allocation_invoice', s.invoice, s.invoice_id),
        ('allocation_undone', (s.posted and s.undone_at is not null)::text, s.reversed::text),
        ('shown_at_most', case when h.cents > s.paid_cents then s.paid_cents::text end,
           case when h.cents > s.paid_cents then h.cents::text end)
      ) r(rule, expected, found) where r.expected is distinct from r.found)`,
  );

/**
 * The kept rows of payments that no statement has shown. A payment that a bank reversed as a whole may still have one
 * (decisions.md#awaited-payments-are-kept).
 */
const awaited = examination(
  "awaited_payments",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, type, currency, gateway_account_id, paid_at, amount_cents from transactions
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, 'kept_awaited' as rule, e.expected, k.found from part p
        left join lateral (select concat_ws(' ', w.type, w.currency, w.gateway_account_id, w.paid_at) as found from awaited_payments w
          where w.organisation_id = ${tx.organisation} and w.transaction_id = p.id) k on true
       cross join lateral (select
         case when p.type in ('eft', 'debit_order') and p.paid_at is not null and not exists (
                select from reconciliation_allocations a where a.organisation_id = ${tx.organisation}
                    and a.subject = p.id and a.undone_at is null)
              then concat_ws(' ', p.type, p.currency, p.gateway_account_id, p.paid_at) end as expected) e
       where e.expected is distinct from k.found
         and (k.found is not null or p.amount_cents > coalesce((select sum(r.amount_cents) from reversals r
               where r.organisation_id = ${tx.organisation} and r.transaction_id = p.id and r.reversed_at is not null), 0)))`,
);

/** What `verify` recomputes. `transfers` are the gateway types whose money goes directly to the bank. */
export const reconciliationExaminations = (transfers: readonly string[]): readonly Examination[] => [
  runs,
  items(transfers),
  awaited,
];
