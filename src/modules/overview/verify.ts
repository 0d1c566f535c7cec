// Writes nothing. Reads: day_sums, open_invoice_totals, transactions.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/**
 * Stored sums against the records, a row for each day. The id of a finding is the day, the figure and the currency,
 * with colons between.
 */
const daySums = examination(
  "day_sums",
  (tx, { after, limit }) => part`
    with part as materialized (
      select day::text collate "C" as id from (
        select day from day_sums where organisation_id = ${tx.organisation}
        union select due_date from open_invoice_totals where organisation_id = ${tx.organisation}
        union select day_of(paid_at) from transactions where organisation_id = ${tx.organisation} and paid_at is not null) days
       where day::text collate "C" > ${after} order by 1 limit ${limit}),
    span as (select min(id::date) as first, max(id::date) as last from part),
    summed as (select s.* from span cross join lateral day_sums_of(${tx.organisation}, span.first, span.last) s),
    kept as (
      select figure, currency, day, sum(amount_cents) as amount_cents, sum(records) as records from day_sums
       where organisation_id = ${tx.organisation} and day between (select first from span) and (select last from span)
       group by figure, currency, day),
    faults as (
      select concat_ws(':', coalesce(s.day, k.day), coalesce(s.figure, k.figure),
                       coalesce(s.currency, k.currency)) as id, r.rule, r.expected, r.found
        from summed s full join kept k on k.figure = s.figure and k.currency = s.currency and k.day = s.day
       cross join lateral (values
        ('kept_amount', coalesce(s.amount_cents, 0)::text, coalesce(k.amount_cents, 0)::text),
        ('kept_records', coalesce(s.records, 0)::text, coalesce(k.records, 0)::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const overviewExaminations: readonly Examination[] = [daySums];
