import { type Part, part, type Tx } from "../platform/database.ts";
import { type Examination, examination, type Scope } from "../platform/examined.ts";

/**
 * Examines whether each record equals its newest revision. The database stores revisions of the tables that
 * `keep_revisions` names when the service changes them; a change by anybody else stores none (decisions.md#revisions).
 * `records` selects the `id` and the whole row, as jsonb `record`, of the rows of the scope.
 */
export const revised = (table: string, records: (tx: Tx, scope: Scope) => Part): Examination =>
  examination(
    table,
    (tx, scope) => part`
    with part as materialized (${records(tx, scope)}),
    compared as (
      select p.id, n.facts is null as unkept,
             (select string_agg(f.key || ' ' || coalesce(f.value #>> '{}', 'null'), ', ' order by f.key) from jsonb_each(n.facts) f
               where p.record ? f.key and p.record -> f.key <> f.value) as expected,
             (select string_agg(f.key || ' ' || coalesce(p.record ->> f.key, 'null'), ', ' order by f.key) from jsonb_each(n.facts) f
               where p.record ? f.key and p.record -> f.key <> f.value) as found
        from part p
        left join lateral (select facts from revisions r where r.organisation_id = ${tx.organisation} and r.subject = p.id
          order by r.number desc limit 1) n on true
       where n.facts is null or p.record || n.facts <> p.record),
    faults as (
      select c.id, 'revision' as rule, case when c.unkept then 'kept' else c.expected end as expected, c.found
        from compared c where c.unkept or c.expected is not null)`,
  );
