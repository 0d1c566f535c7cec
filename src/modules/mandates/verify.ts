// Writes nothing. Reads: mandates, mandate_agreements, customer_subscriptions, due_work.

import { revised } from "../../domain/revisions.ts";
import { MONTHS } from "../../kernel/frequency.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { MANDATE_CHECK } from "./declarations.ts";
import { UNPAID_MAX } from "./rules.ts";

/** Mandates against their own terms, their agreements and the work that asks about electronic ones (interface 3.5). */
const mandates = examination(
  "mandates",
  (tx, { after, limit, today }) => part`
    with part as materialized (
      select m.*, (${JSON.stringify(MONTHS)}::jsonb ->> m.frequency)::integer as step,
             (extract(year from m.next_debit_date) - extract(year from m.first_debit_date)) * 12
               + extract(month from m.next_debit_date) - extract(month from m.first_debit_date) as months
        from mandates m where m.organisation_id = ${tx.organisation} and m.id > ${after} order by m.id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
       cross join lateral (values
        ('mandate_signed_at', (select min(a.signed_at)::text from mandate_agreements a
           where a.organisation_id = ${tx.organisation} and a.mandate_id = p.id), p.agreement_signed_at::text, true),
        ('mandate_authorised_by_signature', p.agreement_signed_at::text, p.authorised_at::text, p.authority = 'agreement'),
        ('mandate_debit_day', least(p.debit_day,
             extract(day from date_trunc('month', p.next_debit_date) + interval '1 month - 1 day'))::text,
           extract(day from p.next_debit_date)::text, p.next_debit_date is not null),
        ('mandate_first_date', least(p.debit_day,
             extract(day from date_trunc('month', p.first_debit_date) + interval '1 month - 1 day')) || ' true',
           extract(day from p.first_debit_date) || ' ' || (p.first_debit_date >= p.start_date), true),
        ('mandate_period', '0', (p.months % p.step)::text, p.next_debit_date is not null),
        ('mandate_next_date_in_term', 'true',
           (p.next_debit_date >= p.start_date and p.next_debit_date <= coalesce(p.end_date, p.next_debit_date)
             and p.next_debit_date > coalesce(p.last_debit_date, p.next_debit_date - 1))::text, p.next_debit_date is not null),
        ('mandate_next_date', 'true', (p.next_debit_date is not null)::text, p.status = 'active' and p.end_date is null),
        ('mandate_no_date_left_out', 'false', exists (
           select from generate_series(date_trunc('month', greatest(p.first_debit_date, ${today}::date)),
                                       coalesce(p.next_debit_date, p.end_date) - 1, '1 month') g(month)
             cross join lateral (select (month + (least(p.debit_day, extract(day from month + interval '1 month - 1 day')) - 1)
                                          * interval '1 day')::date as day) d
            where mod((extract(year from month) - extract(year from p.first_debit_date)) * 12
                      + extract(month from month) - extract(month from p.first_debit_date), p.step) = 0
              and d.day >= greatest(p.start_date, ${today}::date) and d.day <= coalesce(p.next_debit_date - 1, p.end_date)
              and date_trunc('month', d.day) > date_trunc('month', coalesce(p.last_debit_date, '0001-01-01')))::text, p.status = 'active'),
        ('mandate_unpaid_in_a_row', 'true', (p.failure_count < ${UNPAID_MAX})::text, p.status = 'active'),
        ('mandate_subscription', (select s.customer_id || ' ' || (s.collection_method <> 'external') from customer_subscriptions s
           where s.organisation_id = ${tx.organisation} and s.id = p.subscription_id), p.customer_id || ' true',
           p.subscription_id is not null),
        ('mandate_unpaid_date', (p.failure_count > 0)::text, 'true', p.last_unpaid_date is not null),
        ('mandate_answer_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${MANDATE_CHECK.kind} and w.subject = p.id)::text,
           p.authority = 'emandate' and p.status = 'pending' and p.authorised_at is null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each mandate equals its last revision by the service. */
const revisedMandates = revised(
  "mandates",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from mandates t where t.organisation_id = ${tx.organisation} and t.id > ${after}
     order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const mandateExaminations: readonly Examination[] = [mandates, revisedMandates];
