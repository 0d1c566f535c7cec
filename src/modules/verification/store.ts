// Writes nothing. Reads: transactions, refunds, payment_links, customers, journal_entries, journal_lines, events, event_subjects,
// webhook_deliveries, emails.
import type { Tx } from "../../platform/database.ts";
import type { Examined, Finding } from "./types.ts";

interface ExaminedRow {
  rows: number;
  last: string | null;
  findings: { id: string; rule: string; expected: string | null; found: string | null }[];
}

function examined(table: Finding["table"], rows: ExaminedRow[], limit: number): Examined {
  const [row] = rows;
  return {
    rows: row?.rows ?? 0,
    last: row && row.rows === limit ? row.last : null,
    findings: (row?.findings ?? []).map((finding) => ({ table, ...finding })),
  };
}

/** Compiling these statements, where the server would, takes longer than running them. First in each transaction. */
export function prepareExamination(tx: Tx): void {
  tx.queue`select set_config('jit', 'off', true)`;
}

/**
 * Payments against the books and their refunds (design 4.6, spec 3.1). Money that was refunded is what refunds that are pending or
 * processed say.
 */
export async function examineTransactions(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, reference, status, amount_cents, coalesce(fee_cents, 0) as fee_cents, currency, overpaid_cents, flags, paid_at,
             status in ('complete', 'refunded', 'partially_refunded') as paid
        from transactions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject, e.occurred_at,
             coalesce(sum(l.amount_cents) filter (where l.account in ('gateway_clearing', 'bank')), 0) as received,
             coalesce(sum(l.amount_cents) filter (where l.account = 'gateway_fees'), 0) as fees,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'customer_credit'), 0) as credit,
             coalesce(string_agg(distinct l.currency, ','), '') as currency
        from journal_entries e
        left join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'payment' and e.subject in (select reference from part)
       group by e.subject, e.occurred_at),
    given_back as (
      select r.transaction_id, coalesce(sum(r.amount_cents) filter (where r.in_force), 0) as total,
             coalesce(sum(r.credit) filter (where r.in_force), 0) as from_credit, bool_or(r.posted and not r.in_force) as undone
        from (select b.transaction_id, b.amount_cents, b.status in ('pending', 'processed') as in_force, e.id is not null as posted,
                     (select sum(l.amount_cents) from journal_lines l
                       where l.organisation_id = e.organisation_id and l.entry_id = e.id and l.account = 'customer_credit') as credit
                from refunds b
                left join journal_entries e on e.organisation_id = b.organisation_id and e.kind = 'refund' and e.subject = b.id
               where b.organisation_id = ${tx.organisation} and b.transaction_id in (select id from part)) r
       group by r.transaction_id),
    facts as (
      select p.*, e.subject is not null as posted, e.occurred_at, e.received, e.fees, e.credit, e.currency as posted_currency,
             coalesce(g.total, 0) as refunded, coalesce(g.from_credit, 0) as from_credit, coalesce(g.undone, false) as undone
        from part p left join entry e on e.subject = p.reference left join given_back g on g.transaction_id = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('payment_entry', f.paid::integer::text, f.posted::integer::text, true),
        ('payment_entry_received', (f.amount_cents - f.fee_cents)::text, f.received::text, f.paid and f.posted),
        ('payment_entry_fee', f.fee_cents::text, f.fees::text, f.paid and f.posted),
        ('payment_entry_credit', f.overpaid_cents::text, f.credit::text, f.paid and f.posted),
        ('payment_entry_currency', f.currency, f.posted_currency, f.paid and f.posted),
        ('payment_entry_date', f.paid_at::text, f.occurred_at::text, f.paid and f.posted),
        ('overpaid_flag', (f.overpaid_cents > 0)::text, ('overpaid' = any(f.flags))::text, true),
        ('status_of_refunds', case when not f.paid and f.refunded = 0 then f.status when f.refunded = 0 then 'complete'
           when f.refunded < f.amount_cents then 'partially_refunded' else 'refunded' end, f.status, true),
        ('refunded_at_most', f.amount_cents::text, f.refunded::text, f.refunded > f.amount_cents),
        ('refunded_from_credit', least(f.overpaid_cents, f.refunded)::text, f.from_credit::text, f.paid and not f.undone)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("transactions", rows, limit);
}

/**
 * Payments against what was told of them, once each (spec part 6), and against the work that awaits what is not decided. Events of
 * payments older than the oldest month that is kept may be gone (design 4.9).
 */
export async function examineTransactionEvents(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with kept as materialized (
      select first_id_at('txn', min(to_timestamp(right(c.relname, 6) || '+00', 'YYYYMMTZH'))) as since
        from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass),
    part as materialized (
      select id, reference, status, (paid_at is not null)::integer as paid, id >= (select since from kept) as all_kept
        from transactions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    told as (
      select subject,
             count(*) filter (where type = 'payment.complete') as completed,
             count(*) filter (where type = 'payment.failed') as failed,
             count(*) filter (where type = 'payment.cancelled') as cancelled,
             count(*) filter (where type in ('payment.refunded', 'payment.partially_refunded')) as refunded
        from events where organisation_id = ${tx.organisation} and subject in (select reference from part)
       group by subject),
    given_back as (
      select b.transaction_id, count(*) as refunds from refunds b
       where b.organisation_id = ${tx.organisation} and b.transaction_id in (select id from part)
         and (b.status in ('pending', 'processed') or exists (
           select from journal_entries e where e.organisation_id = b.organisation_id and e.kind = 'refund' and e.subject = b.id))
       group by b.transaction_id),
    facts as (
      select p.*, coalesce(t.completed, 0) as completed, coalesce(t.refunded, 0) as refunded, coalesce(t.failed, 0) as failed,
             coalesce(t.cancelled, 0) as cancelled, coalesce(g.refunds, 0) as refunds,
             p.status = 'pending' and exists (select from due_work w where w.organisation_id = ${tx.organisation}
               and w.kind = 'payment.check' and w.subject = p.id) as awaited
        from part p left join told t on t.subject = p.reference left join given_back g on g.transaction_id = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('pending_awaited', 'true', f.awaited::text, f.status = 'pending'),
        ('complete_event', f.paid::text, f.completed::text, f.all_kept or f.completed > f.paid),
        ('failed_event', '1', f.failed::text, f.status = 'failed' and f.all_kept or f.failed > 1),
        ('cancelled_event', '1', f.cancelled::text, f.status = 'cancelled' and f.all_kept or f.cancelled > 1),
        ('refund_events', f.refunds::text, f.refunded::text, f.all_kept or f.refunded > f.refunds)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("transactions", rows, limit);
}

/** Refunds against the books: what counts is posted once, whole, out of the account that its method names; what failed, not or undone. */
export async function examineRefunds(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, amount_cents, currency, method, status in ('pending', 'processed') as counts, transaction_id,
             status in ('requested', 'pending') as open, status = 'failed' as failed
        from refunds where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    entry as (
      select e.subject,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'gateway_clearing'), 0) as by_gateway,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'bank'), 0) as by_hand,
             coalesce(string_agg(distinct l.currency, ','), '') as currency,
             exists (select from journal_entries u
                      where u.organisation_id = ${tx.organisation} and u.kind = 'refund_reversal' and u.subject = e.subject) as undone
        from journal_entries e
        left join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'refund' and e.subject in (select id from part)
       group by e.subject),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join entry e on e.subject = p.id
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
       cross join lateral (values
        ('refund_entry', p.counts::integer::text, (e.subject is not null)::integer::text, not p.failed),
        ('refund_undone', (e.subject is not null and p.failed)::text, coalesce(e.undone, false)::text, true),
        ('refund_entry_by_gateway', (case when p.method = 'gateway' then p.amount_cents else 0 end)::text, e.by_gateway::text,
          p.counts and e.subject is not null),
        ('refund_entry_by_hand', (case when p.method = 'manual' then p.amount_cents else 0 end)::text, e.by_hand::text,
          p.counts and e.subject is not null),
        ('refund_entry_currency', p.currency, e.currency, p.counts and e.subject is not null),
        ('refund_currency', t.currency, p.currency, true),
        ('refund_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = 'refund.check' and w.subject = p.id)::text, p.open)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("refunds", rows, limit);
}

/** Entries: each balances in each currency, is of something that happened, and a reversal takes back all of its entry (design 4.6). */
export async function examineEntries(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, kind, subject from journal_entries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    sides as (
      select entry_id, max(abs(balance)) as off, sum(lines) as lines from (
        select entry_id, currency, sum(amount_cents) as balance, count(*) as lines from journal_lines
         where organisation_id = ${tx.organisation} and entry_id in (select id from part) group by entry_id, currency) sums
       group by entry_id),
    reversals as (
      select p.id, bool_and(r.left_over = 0) as whole from part p cross join lateral (
        select sum(l.amount_cents) as left_over from journal_entries e
          join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
         where e.organisation_id = ${tx.organisation} and e.kind in ('refund', 'refund_reversal') and e.subject = p.subject
         group by l.account, l.customer_id, l.currency) r
       where p.kind = 'refund_reversal' group by p.id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join sides s on s.entry_id = p.id left join reversals v on v.id = p.id
        left join transactions t on t.organisation_id = ${tx.organisation} and p.kind = 'payment' and t.reference = p.subject
        left join refunds b on b.organisation_id = ${tx.organisation} and p.kind <> 'payment' and b.id = p.subject
       cross join lateral (values
        ('entry_balances', '0', coalesce(s.off, 0)::text, true),
        ('entry_has_lines', 'true', (coalesce(s.lines, 0) >= 2)::text, true),
        ('entry_subject', 'true', (case p.kind when 'payment' then t.status in ('complete', 'refunded', 'partially_refunded')
           when 'refund' then b.status in ('pending', 'processed', 'failed') else b.status = 'failed' end)::text, true),
        ('reversal_whole', 'true', v.whole::text, p.kind = 'refund_reversal')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("journal_entries", rows, limit);
}

/** Payment links against their payments (spec 2.3, 3.2; contract 8, two payments). */
export async function examinePaymentLinks(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, paid_count, single_use, active from payment_links
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    payments as (
      select payment_link_id, count(*) as paid, count(*) filter (where overpaid_cents = amount_cents) as overpaid from transactions
       where organisation_id = ${tx.organisation} and payment_link_id in (select id from part) and paid_at is not null
       group by payment_link_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join payments t on t.payment_link_id = p.id
       cross join lateral (values
        ('paid_count', coalesce(t.paid, 0)::text, p.paid_count::text, true),
        ('used_up', 'false', p.active::text, p.single_use and p.paid_count > 0),
        ('overpaid_after_first', greatest(t.paid - 1, 0)::text, t.overpaid::text, p.single_use and t.paid > 0)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("payment_links", rows, limit);
}

/** Customers: the standing that was last told is what the books say (contract 7), in the currency that standing is told in. */
export async function examineCustomers(tx: Tx, after: string, limit: number, currency: string): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, active, standing from customers
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    owed as (
      select customer_id, sum(amount_cents) as balance from journal_lines
       where organisation_id = ${tx.organisation} and account = 'receivable' and currency = ${currency}
         and customer_id in (select id from part)
       group by customer_id),
    faults as (
      select p.id, 'standing' as rule, r.expected, p.standing as found from part p left join owed o on o.customer_id = p.id
       cross join lateral (values
        (case when not p.active then 'suspended' when coalesce(o.balance, 0) > 0 then 'owing' else 'good' end)
      ) r(expected)
       where r.expected <> p.standing)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("customers", rows, limit);
}

/** Events count per subject without a gap, up to the last that was given out (contract 5); the oldest may be gone by retention. */
export async function examineEventSubjects(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select subject as id, last_sequence from event_subjects
       where organisation_id = ${tx.organisation} and subject > ${after} order by subject limit ${limit}),
    kept as (
      select subject, min(sequence) as first, max(sequence) as last, count(*) as events, count(distinct sequence) as numbers from events
       where organisation_id = ${tx.organisation} and subject in (select id from part) group by subject),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p join kept k on k.subject = p.id cross join lateral (values
        ('last_sequence', k.last::text, p.last_sequence::text),
        ('sequence_without_gap', (k.last - k.first + 1)::text, k.numbers::text),
        ('sequence_once', k.numbers::text, k.events::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("event_subjects", rows, limit);
}

/** Deliveries against their attempts, their due work and each other (contract 5, 7): one an event and endpoint. */
export async function examineDeliveries(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, event_id, endpoint_id, status, attempts, next_attempt_at from webhook_deliveries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    facts as (
      select p.id, p.status, p.next_attempt_at is not null as planned, jsonb_array_length(p.attempts) as made,
             jsonb_path_exists(p.attempts, '$[*] ? (@.statusCode >= 200 && @.statusCode < 300)') as arrived,
             exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = 'webhook.deliver'
                        and w.subject = p.id) as awaited,
             exists (select from webhook_deliveries d where d.organisation_id = ${tx.organisation} and d.event_id = p.event_id
                        and d.endpoint_id = p.endpoint_id and d.id < p.id) as again
        from part p),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('delivered_arrived', 'true', f.arrived::text, f.status = 'delivered'),
        ('parked_tried', 'true', (f.made > 0)::text, f.status = 'parked'),
        ('next_attempt', (f.status = 'pending')::text, f.planned::text, true),
        ('pending_awaited', 'true', f.awaited::text, f.status = 'pending'),
        ('delivery_once', 'false', f.again::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("webhook_deliveries", rows, limit);
}

/** Mails: what waits is awaited by due work, what was sent says when, a receipt is of a payment. That each is recorded once is a constraint. */
export async function examineEmails(tx: Tx, after: string, limit: number): Promise<Examined> {
  const rows = await tx.sql<ExaminedRow>`
    with part as materialized (
      select id, status, sent_at, case when kind = 'receipt' then substr(dedupe_key, length('receipt:') + 1) end as receipt_of
        from emails where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p cross join lateral (values
        ('sent_at', (p.status = 'sent')::text, (p.sent_at is not null)::text, true),
        ('mail_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = 'mail.send'
            and w.subject = p.id)::text, p.status in ('queued', 'sending')),
        ('receipt_of_payment', 'true', exists (select from transactions t where t.organisation_id = ${tx.organisation}
            and t.reference = p.receipt_of and t.paid_at is not null)::text, p.receipt_of is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)
    select (select count(*)::integer from part) as rows, (select max(id) from part) as last,
           (select coalesce(jsonb_agg(to_jsonb(faults)), '[]') from faults) as findings`;
  return examined("emails", rows, limit);
}
