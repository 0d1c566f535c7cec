// Writes nothing. Reads: day_sums, money_sums, open_invoice_totals, transactions, journal_lines.

import { receiptsOf } from "../../domain/receipts.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { MONEY_ACCOUNTS } from "./types.ts";

const ALL_DAYS = { from: "-infinity", to: "infinity" };

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
        union select day_of(paid_at) from transactions where organisation_id = ${tx.organisation} and paid_at is not null
        union select r.day from (${receiptsOf(tx, ALL_DAYS)}) r where r.kind <> 'payment') days
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

/**
 * What was received against the books, for each currency: all that came from customers, less what went back, is what
 * was posted to the ledger accounts that hold money, or are charges, fees and transfers that it was used for. The id of
 * a finding is the currency.
 */
const receivedSums = examination(
  "day_sums",
  (tx, { after, limit }) => part`
    with part as materialized (
      select currency as id from (
        select currency collate "C" from day_sums where organisation_id = ${tx.organisation}
           and figure in ('collected', 'recorded', 'refunded', 'reversed')
        union select currency collate "C" from journal_lines
           where organisation_id = ${tx.organisation} and account = any (${MONEY_ACCOUNTS})) currencies
       where currency > ${after} order by 1 limit ${limit}),
    booked as (
      select currency, sum(amount_cents) as cents from journal_lines
       where organisation_id = ${tx.organisation} and account = any (${MONEY_ACCOUNTS}) and currency in (select id from part) group by 1),
    received as (
      select currency, sum(case when figure in ('collected', 'recorded') then amount_cents else -amount_cents end) as cents from day_sums
       where organisation_id = ${tx.organisation} and figure in ('collected', 'recorded', 'refunded', 'reversed')
         and currency in (select id from part) group by 1),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p left join booked b on b.currency = p.id left join received d on d.currency = p.id
       cross join lateral (values
        ('received_as_booked', coalesce(b.cents, 0)::text, coalesce(d.cents, 0)::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found)`,
);

/**
 * What is kept of where the money is, against the lines of the journal, for each currency. The id of a finding is the
 * currency, the ledger account and the gateway account, with colons between.
 */
const moneySums = examination(
  "money_sums",
  (tx, { after, limit }) => part`
    with part as materialized (
      select currency as id from (
        select currency collate "C" from money_sums where organisation_id = ${tx.organisation}
        union select currency collate "C" from journal_lines
           where organisation_id = ${tx.organisation} and account = any (${MONEY_ACCOUNTS})) currencies
       where currency > ${after} order by 1 limit ${limit}),
    summed as (select * from money_sums_of(${tx.organisation}) where currency in (select id from part)),
    kept as (
      select currency, account, held_by, sum(amount_cents) as amount_cents from money_sums
       where organisation_id = ${tx.organisation} and currency in (select id from part) group by 1, 2, 3),
    faults as (
      select concat_ws(':', coalesce(s.currency, k.currency), coalesce(s.account, k.account),
                       nullif(coalesce(s.held_by, k.held_by), '')) as id,
             'kept_money' as rule, coalesce(s.amount_cents, 0)::text as expected, coalesce(k.amount_cents, 0)::text as found
        from summed s full join kept k on k.currency = s.currency and k.account = s.account and k.held_by = s.held_by
       where coalesce(s.amount_cents, 0) <> coalesce(k.amount_cents, 0))`,
);

/** What `verify` recomputes. */
export const overviewExaminations: readonly Examination[] = [daySums, receivedSums, moneySums];
