// Writes nothing. Reads: document_numbers, invoices, quotes, credit_notes.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Numbers of each kind: none twice, and from 1 to the last without a gap (decisions.md#gapless-numbers), except the numbers of deleted
 * quotes. The rows are the kinds.
 */
const numbers = examination(
  "document_numbers",
  (tx, { after, limit }) => part`
    with part as materialized (
      select k.kind as id, coalesce(n.last_number, 0) as last_number
        from (values ('credit_note'), ('invoice'), ('quote')) k(kind)
        left join document_numbers n on n.organisation_id = ${tx.organisation} and n.kind = k.kind
       where k.kind > ${after} order by k.kind limit ${limit}),
    used as (
      select 'invoice' as kind, number from invoices where organisation_id = ${tx.organisation}
      union all select 'quote', number from quotes where organisation_id = ${tx.organisation}
      union all select 'credit_note', number from credit_notes where organisation_id = ${tx.organisation}),
    counted as (
      select kind, count(*) as documents, count(distinct counter) as numbers, coalesce(max(counter), 0) as last from (
        select kind, case when number ~ '^(INV|QUO|CN)-[0-9]{6,15}$' then split_part(number, '-', 2)::bigint end as counter
          from used where kind in (select id from part)) numbered group by kind),
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
