// Writes nothing. Reads: external_periods, customer_subscriptions, customer_subscription_bills, due_work.
import { IN_ENDED } from "../../domain/customer-subscriptions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { EXTERNAL_SUBSCRIPTION_END } from "./declarations.ts";

/**
 * Recorded periods against their comparison bills, the period before, and the subscription, whose last one is its
 * present period (interface 4.8).
 */
const periods = examination(
  "external_periods",
  (tx, { after, limit }) => part`
    with part as materialized (
      select r.*, s.collection_method, s.status as subscription_status, s.state, s.next_due
        from external_periods r
        join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = r.customer_subscription_id
       where r.organisation_id = ${tx.organisation} and r.id > ${after} order by r.id limit ${limit}),
    reckoned as (
      select p.id, sum((l ->> 'amount')::bigint) as amount, sum((l ->> 'tax')::bigint) as tax,
             sum((l -> 'reason' ->> 'full')::bigint - (
               select coalesce(sum((x ->> 'amount')::bigint), 0) from jsonb_array_elements(l -> 'reason' -> 'less') x)) as reasoned
        from part p cross join lateral jsonb_array_elements(p.lines) l group by p.id),
    facts as (
      select p.*, coalesce(n.amount, 0) as amount, coalesce(n.tax, 0) as tax, coalesce(n.reasoned, 0) as reasoned,
             exists (select from external_periods e where e.organisation_id = ${tx.organisation}
               and e.customer_subscription_id = p.customer_subscription_id and e.period_start > p.period_start) as is_past,
             exists (select from external_periods e where e.organisation_id = ${tx.organisation}
               and e.customer_subscription_id = p.customer_subscription_id and e.period_start < p.period_start
               and e.period_next > p.period_start) as overlaps
        from part p left join reckoned n on n.id = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f
       cross join lateral (values
        ('shadow_lines_reasoned', f.amount::text, f.reasoned::text, true),
        ('shadow_lines_tax', f.tax::text, f.tax_cents::text, true),
        ('shadow_total', (f.subtotal_cents + f.tax_cents)::text, f.total_cents::text, true),
        ('shadow_subtotal', (case when f.tax_inclusive then f.amount - f.tax else f.amount end)::text, f.subtotal_cents::text, true),
        ('shadow_of_trial', '0', f.total_cents::text, f.status = 'trialing'),
        ('recorded_of_external', 'external', f.collection_method, true),
        ('recorded_without_overlap', 'false', f.overlaps::text, true),
        ('recorded_last', f.period_start || ' ' || f.period_next || ' ' || f.cycle,
          (f.state -> 'period' ->> 'start') || ' ' || (f.state -> 'period' ->> 'next') || ' '
              || (f.state ->> 'cyclesBilled'), not f.is_past),
        ('external_not_billed', 'false', exists (select from customer_subscription_bills b where b.organisation_id = ${tx.organisation}
           and b.customer_subscription_id = f.customer_subscription_id)::text, not f.is_past),
        ('external_end_awaited', (f.subscription_status not ${IN_ENDED} and f.state ->> 'cancelAtPeriodEnd' = 'true')::text,
          exists (select from due_work w where w.organisation_id = ${tx.organisation} and w.kind = ${EXTERNAL_SUBSCRIPTION_END.kind}
            and w.subject = f.customer_subscription_id)::text, not f.is_past),
        ('recorded_next', f.period_next::text, f.next_due::text, not f.is_past and f.subscription_status not ${IN_ENDED})
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const externalPeriodExaminations: readonly Examination[] = [periods];
