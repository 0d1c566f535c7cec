// Writes nothing. Reads: credit_notes, credit_note_lines, journal_entries, journal_lines, credit_note_applications,
// credit_note_refunds, refunds, transactions, invoice_payments, invoices, invoice_lines.
import { part, type Tx } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { roundedLike, unitIn } from "../../platform/rounded-like.ts";

/** What refunds settled of the notes in `part`, and how many of these settlements agree with the refund, its invoice and the books. */
const settled = (tx: Tx) => part`
    settled as (
      select s.credit_note_id, sum(s.amount_cents) filter (where s.undone_at is null) as amount, count(*) as settlements,
             count(*) filter (where t.invoice_id = n.invoice_id and (r.status <> 'failed') = (s.undone_at is null)
               and coalesce(l.amount, 0) = case when s.undone_at is null then s.amount_cents else 0 end) as right_ones
        from credit_note_refunds s
        join credit_notes n on n.organisation_id = ${tx.organisation} and n.id = s.credit_note_id
        join refunds r on r.organisation_id = ${tx.organisation} and r.id = s.refund_id
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = r.transaction_id
       cross join lateral (select sum(j.amount_cents) as amount from journal_entries e join journal_lines j
          on j.organisation_id = ${tx.organisation} and j.entry_id = e.id and j.account = 'customer_credit'
         where e.organisation_id = ${tx.organisation} and e.kind in ('credit_note_refund', 'credit_note_refund_reversal')
           and e.subject = s.refund_id || ':' || s.credit_note_id) l
       where s.organisation_id = ${tx.organisation} and s.credit_note_id in (select id from part) group by s.credit_note_id)`;

/** The VAT within the amount of a row of notes or their lines, `n` or `p`, with the note's currency. */
function taxWithin(row: "n" | "p") {
  const of = row === "n" ? part`n` : part`p`;
  return roundedLike(
    part`${of}.currency`,
    part`${of}.amount_cents * ${of}.tax_rate / (100 + ${of}.tax_rate)`,
    part`${of}.amount_cents, ${of}.tax_cents`,
  );
}

/** Credit notes against their applications, the invoice that they correct and the books (interface 2.14). */
const creditNotes = examination(
  "credit_notes",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, customer_id, invoice_id, currency, tax_rate, tax_cents, amount_cents, remaining_cents from credit_notes
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    applied as (
      select a.credit_note_id, sum(a.amount_cents) as amount, count(*) as applications, count(y.id) as allocations,
             count(*) filter (where exists (select from journal_entries e join journal_lines l
               on l.organisation_id = ${tx.organisation} and l.entry_id = e.id and l.account = 'receivable'
              where e.organisation_id = ${tx.organisation} and e.kind = 'credit_application'
                and e.subject = a.invoice_id || ':' || a.credit_note_id and l.amount_cents = -a.amount_cents)) as entries
        from credit_note_applications a left join invoice_payments y on y.organisation_id = ${tx.organisation}
          and y.source = 'credit_note' and y.subject = a.credit_note_id and y.invoice_id = a.invoice_id and y.amount_cents = a.amount_cents
       where a.organisation_id = ${tx.organisation} and a.credit_note_id in (select id from part) group by a.credit_note_id),
    ${settled(tx)},
    lines as (
      select credit_note_id, sum(amount_cents) as amount, sum(tax_cents) as tax,
             sum(${taxWithin("n")}) as computed_tax
        from (select n.credit_note_id, n.amount_cents, n.tax_cents, n.tax_rate, p.currency from credit_note_lines n
              join part p on p.id = n.credit_note_id
               where n.organisation_id = ${tx.organisation}) n group by credit_note_id),
    entry as (
      select e.subject, coalesce(string_agg(distinct l.currency, ','), '') as currency, string_agg(distinct l.customer_id, ',') as customer,
             coalesce(-sum(l.amount_cents) filter (where l.account = 'customer_credit'), 0) as credit,
             coalesce(sum(l.amount_cents) filter (where l.account = 'vat_output'), 0) as vat
        from journal_entries e left join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = e.id
       where e.organisation_id = ${tx.organisation} and e.kind = 'credit_note' and e.subject in (select id from part) group by e.subject),
    facts as (
      select p.*, coalesce(a.amount, 0) + coalesce(z.amount, 0) as applied, coalesce(z.settlements, 0) as settlements,
             coalesce(z.right_ones, 0) as right_ones, coalesce(a.applications, 0) as applications,
             coalesce(a.allocations, 0) as allocations, coalesce(a.entries, 0) as entries,
             e.subject is not null as posted, e.currency as posted_currency, e.customer, e.credit, e.vat,
             n.amount as lines_amount, n.tax as lines_tax, n.computed_tax, i.total_cents as invoice_total,
             i.customer_id as invoice_customer,
             (select sum(c.amount_cents) from credit_notes c where c.organisation_id = ${tx.organisation} and c.invoice_id = p.invoice_id)
               as corrected,
             i.tax_cents as invoice_tax,
             (select sum(c.tax_cents) from credit_notes c where c.organisation_id = ${tx.organisation}
              and c.invoice_id = p.invoice_id) as corrected_tax,
             case when i.id is null then 0 else (select count(*) from invoice_lines o
                where o.organisation_id = ${tx.organisation} and o.invoice_id = i.id) * ${unitIn(part`p.currency`)} end as roundings,
             ${taxWithin("p")} as computed
        from part p left join applied a on a.credit_note_id = p.id left join settled z on z.credit_note_id = p.id
        left join lines n on n.credit_note_id = p.id left join entry e on e.subject = p.id
        left join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('remaining', (f.amount_cents - f.applied)::text, f.remaining_cents::text, true),
        ('note_status', case when f.applied = 0 then 'issued' when f.applied = f.amount_cents then 'applied' else 'partially_applied' end,
           f.status, true),
        -- The lines of the invoice that a note corrects were rounded each.
        ('note_tax', f.computed::text, f.tax_cents::text, f.tax_rate is not null and abs(f.computed - f.tax_cents) > f.roundings),
        ('note_lines', (f.tax_rate is null)::text, (f.lines_amount is not null)::text, true),
        ('note_lines_amount', f.lines_amount::text, f.amount_cents::text, f.tax_rate is null),
        ('note_lines_tax', f.computed_tax::text, f.lines_tax::text, f.tax_rate is null and abs(f.computed_tax - f.lines_tax) > f.roundings),
        ('note_tax', f.lines_tax::text, f.tax_cents::text, f.tax_rate is null),
        ('application_allocated', f.applications::text, f.allocations::text, true),
        ('application_entry', f.applications::text, f.entries::text, true),
        ('note_settled', f.settlements::text, f.right_ones::text, true),
        ('note_entry', 'true', f.posted::text, true),
        ('note_entry_credit', f.amount_cents::text, f.credit::text, f.posted),
        ('note_entry_vat', f.tax_cents::text, f.vat::text, f.posted),
        ('note_entry_customer', f.customer_id, f.customer, f.posted),
        ('note_entry_currency', f.currency, f.posted_currency, f.posted),
        ('corrects_own_invoice', f.customer_id, f.invoice_customer, f.invoice_id is not null),
        ('corrects_at_most', f.invoice_total::text, f.corrected::text, f.corrected > f.invoice_total),
        ('corrects_vat_at_most', f.invoice_tax::text, f.corrected_tax::text, f.corrected_tax > f.invoice_tax)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const creditNoteExaminations: readonly Examination[] = [creditNotes];
