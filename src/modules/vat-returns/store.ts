// Writes nothing. Reads: invoice_lines, credit_notes, credit_note_lines, transactions, reversals, refunds,
// invoice_payments, undone_invoice_payments, credit_note_refunds.

import { joinInvoice, joinPayment } from "../../domain/joins.ts";
import { fromLines, joinEntries, postedTo } from "../../domain/journal.ts";
import { oldestFirst, onPageUp, type PageQuery } from "../../domain/lists.ts";
import { cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import { planned } from "../../platform/planned.ts";
import { untaxedField } from "./rules.ts";
import type { VatBasis, VatField, VatPeriod, VatQuestion, VatRecord, VatSums } from "./types.ts";

/** The end of the statement: the entries of `counted` in rand. Those whose rate is not known are left out. */
const IN_RAND = part`
  supply as (
    select id, kind, subject, occurred_at, description, round(tax * rate) as tax, round(untaxed * rate) as untaxed,
           round(exempt * rate) as exempt, round(standard * rate) as standard
      from counted where rate is not null)`;

/** Refunds, which have VAT when the payment had, and no invoice. */
const REFUND = part`('refund', 'refund_reversal')`;

/**
 * The beginning of a statement: entries that earn or reduce revenue, with the part of each that has VAT (`standard`,
 * with its `tax`) and the parts that have none: `exempt` is marked as exempt, `untaxed` is not. Amounts are above zero
 * for supplies and below zero for reductions; those in another currency are reckoned in rand by the rate of their
 * invoice.
 */
const onInvoiceBasis = (tx: Tx, { from, until }: VatPeriod): Part => part`
  with earned as materialized (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, s.tax, s.currency,
           case when e.kind in ${REFUND} then s.gross + s.refunded else s.gross end as gross
      from (select bool_or(account <> 'refunds') as earns,
                   entry_id, currency, -coalesce(sum(amount_cents) filter (where account in ('revenue', 'vat_output')), 0) as gross,
                   -coalesce(sum(amount_cents) filter (where account = 'vat_output'), 0) as tax,
                   -coalesce(sum(amount_cents) filter (where account = 'refunds'), 0) as refunded
              ${fromLines(tx)} and occurred_at >= ${from} and occurred_at < ${until}
               and account in ('revenue', 'vat_output', 'refunds') group by entry_id, currency) s
      ${joinEntries(tx)} and e.id = s.entry_id
     where case when e.kind in ${REFUND} then ${paymentOf(tx)} is not null else s.earns end),
  untaxed_lines as (
    select e.id, sum(l.amount_cents) as amount, sum(l.amount_cents) filter (where l.tax_exempt) as exempt from earned e
      join invoice_lines l on l.organisation_id = ${tx.organisation} and l.invoice_id = e.subject and l.tax_rate = 0
     where e.kind in ('invoice', 'invoice_cancelled') group by e.id
    union all
    select e.id, sum(a.amount), sum(a.amount) filter (where coalesce(l.tax_exempt, n.tax_exempt)) from earned e
      join credit_notes n on n.organisation_id = ${tx.organisation} and n.id = e.subject
      left join credit_note_lines l on l.organisation_id = ${tx.organisation} and l.credit_note_id = n.id
     cross join lateral (select coalesce(l.amount_cents, n.amount_cents) as amount) a
     where e.kind = 'credit_note' and coalesce(l.tax_rate, n.tax_rate, 0) = 0 group by e.id),
  counted as (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, e.tax, u.without_vat - u.exempt as untaxed, u.exempt,
           e.gross - u.without_vat as standard, ${rateOf(tx)} as rate
      from earned e left join untaxed_lines l on l.id = e.id
     cross join lateral (select coalesce(case
         when e.kind = 'payment' then (select p.tax_exempt from transactions p where p.organisation_id = ${tx.organisation}
                              and p.reference = e.subject)
         when e.kind in ('reversal', 'refund', 'refund_reversal') then (select t.tax_exempt from transactions t
                where t.organisation_id = ${tx.organisation} and t.id = ${paymentOf(tx)}) end, false) as exempt) p
     cross join lateral (select sign(e.gross) * case
         when e.kind not in ('payment', 'reversal', 'refund', 'refund_reversal') then coalesce(l.amount, 0)
         when e.tax = 0 and not (e.kind <> 'payment' and ${hadVat(tx)}) then abs(e.gross) else 0 end as without_vat,
       sign(e.gross) * case when p.exempt then abs(e.gross) else coalesce(l.exempt, 0) end as exempt) u),
  ${IN_RAND}`;

/** The payment without an invoice of a refund or a reversal `e`; null of an invoice's, and of any other entry. */
const paymentOf = (tx: Tx): Part => part`(
  select p.id from transactions p where p.organisation_id = ${tx.organisation} and p.invoice_id is null and p.id = case
    when e.kind = 'reversal' then (select w.transaction_id from reversals w
      where w.organisation_id = ${tx.organisation} and w.id = e.subject)
    when e.kind in ${REFUND} then (select b.transaction_id from refunds b
      where b.organisation_id = ${tx.organisation} and b.id = e.subject)
    end)`;

/** Whether the payment of a refund or a reversal `e` had VAT, all of which others may have given back before. */
const hadVat = (tx: Tx): Part => part`exists (
  select from transactions t where t.organisation_id = ${tx.organisation} and t.id = ${paymentOf(tx)}
     and ${postedTo(tx, "vat_output", "payment", part`t.reference`)} <> 0)`;

/** The rate of an entry `e`: 1 of one in rand, else that of the invoice that it makes, cancels or corrects; null without one. */
const rateOf = (tx: Tx): Part => part`
  case when e.currency = 'ZAR' then 1 else (
    select i.exchange_rate from (select case when e.kind = 'credit_note' then (select n.invoice_id from credit_notes n
      where n.organisation_id = ${tx.organisation} and n.id = e.subject) else e.subject end as id) a
      ${joinInvoice(tx, part`a.id`)}) end`;

/**
 * Sums of an entry's lines in cents. `moved` is the consideration that the entry brings (above zero) or returns, of an
 * invoice or of a payment without one, except for cancellations (`made_credit`, the paid amount that became the
 * customer's credit) and refunds (`given_back`, without the VAT in them, which is in `moved`). `earned` and `tax` are
 * the revenue and VAT of a payment without an invoice.
 */
const SUMS = part`
  -coalesce(sum(amount_cents) filter (where account in ('receivable', 'revenue', 'vat_output')), 0) as moved,
  coalesce(sum(amount_cents) filter (where account = 'customer_credit'), 0) as made_credit,
  -coalesce(sum(amount_cents) filter (where account = 'refunds'), 0) as given_back,
  -coalesce(sum(amount_cents) filter (where account in ('revenue', 'vat_output')), 0) as earned,
  -coalesce(sum(amount_cents) filter (where account = 'vat_output'), 0) as tax`;

/** Entries by which a refund settles a credit note of the same money, and which undo it. */
const SETTLEMENT_KINDS = part`'credit_note_refund', 'credit_note_refund_reversal'`;
/** Entries about a refund, by whose id their subject begins. */
const REFUND_KINDS = part`'refund', 'refund_reversal', ${SETTLEMENT_KINDS}`;
const REFUNDS = part`(${REFUND_KINDS})`;

/**
 * The change by an entry of the consideration that was received. Invoices themselves, and money that only becomes
 * credit, change nothing.
 */
const DELTA = part`case when e.kind = 'invoice_cancelled' then least(s.made_credit, 0)
  when e.kind in ${REFUNDS} then s.given_back + s.moved
  else s.moved end`;

/** Kinds of entries that change it, except credit notes, which name no payment. */
const KINDS = part`('payment', 'reversal', 'offline_payment', 'offline_payment_reversal',
  'credit_application', 'credit_use', 'invoice_cancelled', ${REFUND_KINDS})`;

/**
 * Credit notes of the period, which count when they are issued, as on the invoice basis
 * (decisions.md#credit-notes-count-when-issued).
 */
const notes = (tx: Tx): Part => part`
  note as (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, -n.tax_cents as tax,
           -coalesce(u.amount, 0) + coalesce(u.exempt, 0) as untaxed, -coalesce(u.exempt, 0) as exempt,
           -n.amount_cents + coalesce(u.amount, 0) as standard, case when n.currency = 'ZAR' then 1 else i.exchange_rate end as rate
      from touched s ${joinEntries(tx)} and e.id = s.entry_id and e.kind = 'credit_note'
      join credit_notes n on n.organisation_id = ${tx.organisation} and n.id = e.subject
      left ${joinInvoice(tx, part`n.invoice_id`)}
     cross join lateral (
       select sum(a.amount) filter (where coalesce(l.tax_rate, n.tax_rate, 0) = 0) as amount,
              sum(a.amount) filter (where coalesce(l.tax_exempt, n.tax_exempt)) as exempt
         from (select) one left join credit_note_lines l on l.organisation_id = ${tx.organisation} and l.credit_note_id = n.id
        cross join lateral (select coalesce(l.amount_cents, n.amount_cents) as amount) a) u)`;

/**
 * Entries of the period, each with the invoice, or the payment without one, to which its money belongs. Grouping would
 * hide their estimated number from the planner, so the invoice's data are joined to each of its entries.
 */
const current = (tx: Tx, { from, until }: VatPeriod): Part => part`
  with touched as materialized (
    select * from (
      select entry_id, currency, ${SUMS} ${fromLines(tx)} and occurred_at >= ${from} and occurred_at < ${until}
         and account in ('receivable', 'revenue', 'vat_output', 'customer_credit', 'refunds') group by entry_id, currency) s
     where moved <> 0 or made_credit <> 0 or given_back <> 0),
  found as (
    select e.id, e.kind, e.subject, e.occurred_at, e.description, d.delta, s.earned, s.tax, s.currency,
           coalesce(case e.kind when 'payment' then p.tax_exempt else g.tax_exempt end, false) as exempt_payment,
           case e.kind when 'payment' then case s.earned when 0 then p.invoice_id else p.id end
             when 'credit_application' then split_part(e.subject, ':', 1) when 'invoice_cancelled' then e.subject
             else coalesce(o.invoice_id, y.invoice_id, a.invoice_id, g.invoice_id, g.id) end as supply
      from touched s ${joinEntries(tx)} and e.id = s.entry_id and e.kind in ${KINDS}
     cross join lateral (select ${DELTA} as delta) d
      left join invoice_payments o on o.organisation_id = ${tx.organisation} and e.kind = 'credit_use' and o.subject = e.subject
      left join transactions p on p.organisation_id = ${tx.organisation} and e.kind = 'payment' and p.reference = e.subject
      left join refunds b on b.organisation_id = ${tx.organisation}
        and e.kind in ${REFUNDS}
        and b.id = split_part(e.subject, ':', 1)
      left join reversals w on w.organisation_id = ${tx.organisation} and e.kind = 'reversal' and w.id = e.subject
      left join transactions g on g.organisation_id = ${tx.organisation} and g.id = coalesce(b.transaction_id, w.transaction_id)
      left join invoice_payments y on y.organisation_id = ${tx.organisation}
        and e.kind in ('offline_payment', 'offline_payment_reversal') and y.id = e.subject
      left join undone_invoice_payments a on a.organisation_id = ${tx.organisation}
        and e.kind in ('offline_payment', 'offline_payment_reversal') and a.id = e.subject
     where d.delta <> 0),
  moves as materialized (
    select f.*, i.total_cents as total, i.tax_cents as total_tax, case when f.currency = 'ZAR' then 1 else i.exchange_rate end as rate
      from found f
      left ${joinInvoice(tx, part`f.supply`)} where f.supply is not null)`;

/**
 * `known`: the entries with the part of their invoice that has no VAT, of which `exempt_lines` are marked as exempt,
 * and `whole`: the entry pays the whole amount and is the only one, so it needs no other entries. An invoice with
 * several payments may have an entry of an earlier day that was written later. `about`: the invoices or payments of the
 * other entries.
 */
const sorted = (tx: Tx): Part => part`
  several as (
    select m.supply from moves m left join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = m.supply
     group by m.supply having count(*) > 1
     union
    select invoice_id from undone_invoice_payments where organisation_id = ${tx.organisation}),
  known as materialized (
    select m.*, coalesce(u.amount, 0) as without_vat, coalesce(u.exempt, 0) as exempt_lines,
           v.supply is null and case when m.total is null then m.kind = 'payment' and m.delta = m.earned else m.delta = m.total end as whole
      from moves m
      left join (select s.id, sum(l.amount_cents) as amount, sum(l.amount_cents) filter (where l.tax_exempt) as exempt from moves s
                   join invoice_lines l on l.organisation_id = ${tx.organisation} and l.invoice_id = s.supply
                     and l.tax_rate = 0 group by s.id) u on u.id = m.id
      left join several v on v.supply = m.supply),
  about as materialized (select distinct on (supply) supply, total, total_tax, without_vat, exempt_lines, exempt_payment, rate
                         from known where not whole order by supply)`;

/** Earlier entries of invoices and payments that no single entry of the period paid as a whole. */
const earlier = (tx: Tx, { from }: VatPeriod): Part => part`
  paid as materialized (
    select n.supply, t.id, t.reference from about n join transactions t on t.organisation_id = ${tx.organisation}
        and t.invoice_id = n.supply
    union all
    select n.supply, t.id, t.reference from about n ${joinPayment(tx, part`n.supply`)}),
  subjects as (
    select supply, 'payment' as kind, reference as subject from paid
    union all
    select p.supply, k.kind, b.id from paid p join refunds b on b.organisation_id = ${tx.organisation} and b.transaction_id = p.id
     cross join (values ('refund'), ('refund_reversal')) k(kind)
    union all
    select p.supply, k.kind, b.id || ':' || z.credit_note_id from paid p
      join refunds b on b.organisation_id = ${tx.organisation} and b.transaction_id = p.id
      join credit_note_refunds z on z.organisation_id = ${tx.organisation} and z.refund_id = b.id
     cross join (values ('credit_note_refund'), ('credit_note_refund_reversal')) k(kind)
    union all
    select p.supply, 'reversal', w.id from paid p join reversals w on w.organisation_id = ${tx.organisation} and w.transaction_id = p.id
    union all
    select n.supply, 'offline_payment', y.id from about n
      join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = n.supply and y.source = 'offline'
    union all
    select n.supply, 'credit_use', y.subject from about n
      join invoice_payments y on y.organisation_id = ${tx.organisation} and y.invoice_id = n.supply and y.source = 'credit'
    union all
    select n.supply, k.kind, a.id from about n
      join undone_invoice_payments a on a.organisation_id = ${tx.organisation} and a.invoice_id = n.supply
     cross join (values ('offline_payment'), ('offline_payment_reversal')) k(kind)
    union all
    select supply, 'invoice_cancelled', supply from about),
  entries as (
    select j.supply, e.id, e.kind, e.subject, e.occurred_at from subjects j
      ${joinEntries(tx)} and e.kind = j.kind and e.subject = j.subject where e.occurred_at < ${from}
    union all
    select n.supply, e.id, e.kind, e.subject, e.occurred_at from about n
      ${joinEntries(tx)} and e.kind = 'credit_application'
       and e.subject >= n.supply || ':' and e.subject < n.supply || ';' where e.occurred_at < ${from}),
  past as (
    select e.id, e.kind, e.subject, e.occurred_at, '' as description, d.delta, s.earned, s.tax, e.supply from entries e
     cross join lateral (select ${SUMS} ${fromLines(tx)} and l.entry_id = e.id) s
     cross join lateral (select ${DELTA} as delta) d)`;

/**
 * As `onInvoiceBasis`, by payments: of each entry that brings or returns consideration, the part that has VAT, its VAT,
 * and the parts without. The amount that an invoice has received at each moment is split in proportion to its lines and
 * rounded (first the part with VAT, then that together with the exempt part, so that they never exceed the amount
 * received), and an entry is the difference of two such moments. So the parts of an entry add up to it, and those of a
 * paid invoice to the invoice (decisions.md#payments-basis-by-difference). Money that is returned twice, by a refund
 * and by the bank, reduces no more than was received.
 */
const onPaymentsBasis = (tx: Tx, period: VatPeriod): Part => part`
  ${current(tx, period)},
  ${sorted(tx)},
  ${notes(tx)},
  ${earlier(tx, period)},
  summed as (
    select m.*, sum(m.delta) over steps as balance,
           max(case m.kind when 'payment' then m.earned end) over whole as earned_total,
           max(case m.kind when 'payment' then m.tax end) over whole as earned_tax
      from (select id, kind, subject, occurred_at, description, delta, earned, tax, supply from known where not whole
            union all select id, kind, subject, occurred_at, description, delta, earned, tax, supply from past) m
    window whole as (partition by m.supply), steps as (partition by m.supply order by m.occurred_at, m.id rows unbounded preceding)),
  held as (
    select s.*, s.balance - least(0, min(s.balance) over (partition by s.supply
                                                          order by s.occurred_at, s.id rows unbounded preceding)) as received
      from summed s),
  split as (
    select h.id, h.kind, h.subject, h.occurred_at, h.description, round(n.at * a.rate) as at, round(n.before * a.rate) as before,
           round(coalesce(a.total, h.earned_total) * a.rate) as total, round(coalesce(a.total_tax, h.earned_tax) * a.rate) as tax,
           round(case when a.total is not null then a.total - a.without_vat when h.earned_tax > 0 then h.earned_total
            else 0 end * a.rate) as standard,
           round(case when a.total is not null then a.exempt_lines when a.exempt_payment then h.earned_total else 0 end * a.rate) as exempt,
           -- In rand already, from the sums, so that the parts of an invoice add up to it in rand too.
           case when a.rate is not null then 1 end as rate
      from (select h.*, lag(received, 1, 0::numeric) over (partition by h.supply order by h.occurred_at, h.id) as held_before from held h) h
      join about a on a.supply = h.supply
     cross join lateral (select least(h.received, coalesce(a.total, h.earned_total)) as at,
                         least(h.held_before, coalesce(a.total, h.earned_total)) as before) n
     where h.occurred_at >= ${period.from}),
  counted as (
    select id, kind, subject, occurred_at, description, round(tax * at / total) - round(tax * before / total) as tax,
           at - before - p.standard - p.exempt as untaxed, p.exempt, p.standard, rate
      from split
     cross join lateral (select round(split.standard * at / total) - round(split.standard * before / total) as standard) r
     cross join lateral (select r.standard, round((split.standard + split.exempt) * at / total)
       - round((split.standard + split.exempt) * before / total) - r.standard as exempt) p
    union all
    select id, kind, subject, occurred_at, description, coalesce(total_tax, tax), delta - p.standard - p.exempt, p.exempt, p.standard, rate
      from known cross join lateral (
        select case when total is not null then total - without_vat when known.tax > 0 then earned else 0 end as standard,
               case when total is not null then exempt_lines when exempt_payment then earned else 0 end as exempt) p
     where whole
    union all
    select id, kind, subject, occurred_at, description, tax, untaxed, exempt, standard, rate from note),
  ${IN_RAND}`;

const SUPPLIES: Readonly<Record<VatBasis, (tx: Tx, period: VatPeriod) => Part>> = {
  invoice: onInvoiceBasis,
  payments: onPaymentsBasis,
};

/**
 * Entries by which a refund settles a credit note of the same money: both reduce the consideration, and this takes one
 * of them off again. So it belongs beside them, and is no supply.
 */
const SETTLEMENT = part`kind in (${SETTLEMENT_KINDS})`;

/** The sums of the period's entries for the return. */
export async function vatSums(tx: Tx, { basis, span }: VatQuestion): Promise<VatSums> {
  type Row = { standard: number; output_tax: number; untaxed: number; exempt: number; credited: number };
  const [row] = await planned(
    tx,
    () => tx.sql<Row>`
    ${SUPPLIES[basis](tx, span)}
    select coalesce(sum(standard) filter (where standard > 0 and not ${SETTLEMENT}), 0)::bigint as standard,
           coalesce(sum(tax) filter (where tax > 0 and not ${SETTLEMENT}), 0)::bigint as output_tax,
           coalesce(sum(untaxed), 0)::bigint as untaxed, coalesce(sum(exempt), 0)::bigint as exempt,
           coalesce(-sum(tax) filter (where tax < 0 or ${SETTLEMENT}), 0)::bigint as credited from supply`,
  );
  return {
    standard: cents(row?.standard ?? 0),
    outputTax: cents(row?.output_tax ?? 0),
    untaxed: cents(row?.untaxed ?? 0),
    exempt: cents(row?.exempt ?? 0),
    credited: cents(row?.credited ?? 0),
  };
}

/** The amount of an entry in a field. */
function amountIn(field: VatField, asked: VatQuestion): Part {
  if (field === "1") return part`case when ${SETTLEMENT} then 0 else greatest(standard, 0) end`;
  if (field === "4") return part`case when ${SETTLEMENT} then 0 else greatest(tax, 0) end`;
  if (field === "18") return part`case when ${SETTLEMENT} then -tax else greatest(-tax, 0) end`;
  const unmarked = field === untaxedField(asked) ? part`untaxed` : part`0`;
  return field === "3" ? part`exempt + ${unmarked}` : unmarked;
}

/** A page of the entries of a field, in the order of their ids. */
export async function vatRecords(
  tx: Tx,
  asked: VatQuestion,
  query: PageQuery & { readonly field: VatField },
): Promise<VatRecord[]> {
  type Row = {
    id: string;
    kind: string;
    subject: string;
    occurred_at: Instant;
    description: string;
    amount: number;
  };
  const rows = await planned(
    tx,
    () => tx.sql<Row>`
    ${SUPPLIES[asked.basis](tx, asked.span)}
    select id, kind, subject, occurred_at, description, amount::bigint as amount from supply
     cross join lateral (select ${amountIn(query.field, asked)} as amount) f
     where amount <> 0 ${onPageUp(query, part`id`)} ${oldestFirst(query, part`id`)}`,
  );
  return rows.map(({ occurred_at, amount, ...row }) => ({ ...row, occurredAt: occurred_at, amount: cents(amount) }));
}

/**
 * A moment of the period such that about `lines` lines of the books lie before it, so that a long period is read in
 * pieces; its end when no more lines are left.
 */
export async function afterLines(tx: Tx, { from, until }: VatPeriod, lines: number): Promise<Instant> {
  const [row] = await tx.sql<{ at: Instant }>`
    select date_trunc('milliseconds', occurred_at) + interval '1 millisecond' as at
      ${fromLines(tx)} and occurred_at >= ${from} and occurred_at < ${until}
     order by occurred_at offset ${lines} limit 1`;
  return row?.at ?? until;
}

/** Currencies other than rand with revenue in the period that is not counted, because no rate of it is known. */
export async function otherCurrencies(tx: Tx, { from, until }: VatPeriod): Promise<string[]> {
  const rows = await tx.sql<{ currency: string }>`
    select distinct e.currency
      from (select e.id, e.kind, e.subject, s.currency
              from (select distinct entry_id, currency ${fromLines(tx)} and occurred_at >= ${from} and occurred_at < ${until}
                       and account in ('revenue', 'vat_output') and currency <> 'ZAR') s
              ${joinEntries(tx)} and e.id = s.entry_id) e
     where ${rateOf(tx)} is null order by currency`;
  return rows.map(({ currency }) => currency);
}
