// Writes nothing. Reads: document_numbers, invoices, quotes, credit_notes.
import { NUMBER_PREFIXES } from "../../domain/document-numbers.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Numbers of each kind: none twice, with a prefix that was chosen, and from 1 to the last without a gap, whatever their prefixes
 * (decisions.md#gapless-numbers), except the numbers of deleted quotes. The rows are the kinds.
 */
const numbers = examination(
  "document_numbers",
  (tx, { after, limit }) => part`
    with part as materialized (
      select k.kind as id, coalesce(n.last_number, 0) as last_number, array_append(n.prefixes, k.prefix) as prefixes
        from (values (${NUMBER_PREFIXES.credit_note}, 'credit_note'), (${NUMBER_PREFIXES.invoice}, 'invoice'),
                     (${NUMBER_PREFIXES.quote}, 'quote')) k(prefix, kind)
        left join document_numbers n on n.organisation_id = ${tx.organisation} and n.kind = k.kind
       where k.kind > ${after} order by k.kind limit ${limit}),
    used as (
      select 'invoice' as kind, number from invoices where organisation_id = ${tx.organisation}
      union all select 'quote', number from quotes where organisation_id = ${tx.organisation}
      union all select 'credit_note', number from credit_notes where organisation_id = ${tx.organisation}),
    counted as (
      select kind, count(*) as documents, count(distinct counter) as numbers, coalesce(max(counter), 0) as last from (
        select u.kind, case when u.number ~ '[0-9]{6,15}$' and regexp_replace(u.number, '[0-9]+$', '') = any (p.prefixes)
                            then substring(u.number from '[0-9]+$')::bigint end as counter
          from used u join part p on p.id = u.kind) numbered group by kind),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join counted c on c.kind = p.id cross join lateral (values
        ('number_once', coalesce(c.documents, 0)::text, coalesce(c.numbers, 0)::text, true),
        ('last_number', coalesce(c.last, 0)::text, p.last_number::text, p.id <> 'quote' or c.last > p.last_number),
        ('numbers_without_gap', coalesce(c.last, 0)::text, coalesce(c.numbers, 0)::text, p.id <> 'quote')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const documentNumberExaminations: readonly Examination[] = [numbers];
