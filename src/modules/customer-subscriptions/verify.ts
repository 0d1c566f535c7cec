// Writes nothing. Reads: customer_subscriptions, customer_subscription_bills, customer_subscription_moves,
// customer_subscription_credits, customer_subscription_movements, credit_notes, plan_versions, organisation_settings,
// cards, coupon_redemptions, external_periods, invoices, invoice_lines, due_work.
import { IN_ENDED } from "../../domain/customer-subscriptions.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { roundedLike, unitIn } from "../../platform/rounded-like.ts";
import { CUSTOMER_SUBSCRIPTION_BILL, CUSTOMER_SUBSCRIPTION_TRIAL_ENDING } from "./declarations.ts";

/** The price of a version `v` of a plan in the currency of `k.price`: its own, or one of its further ones. */
const PRICE_IN_CURRENCY = part`(
  select v.amount_cents, v.currency, v.setup_fee_cents where v.currency = k.price ->> 'currency'
  union all
  select (c ->> 'amount')::bigint, c ->> 'currency', (c ->> 'setupFee')::bigint from jsonb_array_elements(v.prices) c
   where c ->> 'currency' = k.price ->> 'currency')`;

/** The prices of subscriptions in `part`, now and after the change that waits, against the versions of their plans. */
const ofPrices = (tx: Tx): Part => part`
      select p.id, k.rule, r.expected, r.found from part p cross join lateral (values
        ('subscription_price', p.price),
        ('subscription_pending_price', p.state -> 'pendingChange' -> 'price')
      ) k(rule, price)
        left join plan_versions v on v.organisation_id = ${tx.organisation} and v.id = k.price ->> 'id'
        left join organisation_settings o on o.organisation_id = ${tx.organisation}
        -- The rate of these prices is another one on other days ('bill_line_rate').
       cross join lateral (select v.standard_rate or jsonb_path_exists(o.vat_timeline, '$[*] ? (@.registered == false)') as dated) d
        left join lateral ${PRICE_IN_CURRENCY} w on true
       cross join lateral (values (
         concat_ws(' ', w.amount_cents, v.frequency, w.currency, v.tax_inclusive::text,
           case when not d.dated then trim_scale(v.tax_rate) end, v.tax_exempt::text, w.setup_fee_cents,
           coalesce(v.cycles::text, 'endless'), v.tiering::text),
         concat_ws(' ', k.price ->> 'amount', k.price ->> 'frequency', k.price ->> 'currency', k.price ->> 'taxInclusive',
           case when not d.dated then trim_scale((k.price ->> 'taxRate')::numeric) end, coalesce(k.price ->> 'taxExempt', 'false'),
           k.price ->> 'setupFee', coalesce(k.price ->> 'cycles', 'endless'), (k.price -> 'tiering')::text))) r(expected, found)
       where k.price is not null and r.expected is distinct from r.found`;

/** Subscriptions against their bills, the version of their plan, and the due work that bills them (interface 2.13, 16.3). */
const subscriptions = examination(
  "customer_subscriptions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, customer_id, collection_method, card_id, plan_id, plan_version_id, pending_plan_id, state,
             next_due, trial_noticed_for, state -> 'terms' -> 'price' as price,
             case when state -> 'awaiting' = 'null' then state -> 'period' else state -> 'awaiting' end as billed
        from customer_subscriptions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    counted as (
      -- The first bill of a cycle begins its period, a proration too that changes the frequency.
      select customer_subscription_id, count(distinct cycle) filter (where cycle > 0) as cycles,
             (array_agg(period_start order by cycle desc, kind = 'proration', id) filter (where cycle > 0))[1] as start,
             (array_agg(period_next order by cycle desc, kind = 'proration', id) filter (where cycle > 0))[1] as next
        from customer_subscription_bills
       where organisation_id = ${tx.organisation} and customer_subscription_id in (select id from part)
       group by customer_subscription_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join counted n on n.customer_subscription_id = p.id
        left join lateral (
          select m.ends_on from customer_subscription_moves m
           where m.organisation_id = ${tx.organisation} and m.customer_subscription_id = p.id and m.cycle = n.cycles
           order by m.id desc limit 1) m on true
        left join plan_versions v on v.organisation_id = ${tx.organisation} and v.id = p.plan_version_id
        left join cards d on d.organisation_id = ${tx.organisation} and d.id = p.card_id
       cross join lateral (values
        ('subscription_cycles', coalesce(n.cycles, 0)::text, p.state ->> 'cyclesBilled', p.collection_method <> 'external'),
        ('subscription_recorded', (p.collection_method = 'external')::text, exists (select from external_periods e
           where e.organisation_id = ${tx.organisation} and e.customer_subscription_id = p.id)::text, true),
        ('subscription_status', case when p.state -> 'period' = 'null' then 'scheduled'
           when p.state ->> 'cyclesBilled' = '0' and p.state -> 'period' -> 'paid' = 'null'
               and not p.state ? 'paidElsewhere' then 'trialing' else 'active' end,
           case p.status when 'pending' then 'active' else p.status end,
           p.status not in ('paused', 'cancelled', 'expired') and p.collection_method <> 'external'),
        ('subscription_moves', case p.collection_method when 'manual' then 'when_paid' else 'when_billed' end,
           p.state ->> 'periodMoves', true),
        ('subscription_card', p.customer_id, d.customer_id, p.card_id is not null),
        ('subscription_period', coalesce(m.ends_on, n.next)::text, p.billed ->> 'next', n.next is not null),
        ('subscription_period_start', n.start::text, p.billed ->> 'start', m.ends_on is null and n.start is not null),
        ('subscription_plan', v.plan_id || ' ' || v.plan_id || ' ' || v.id,
           p.plan_id || ' ' || (p.price ->> 'planId') || ' ' || (p.price ->> 'id'), true),
        ('subscription_pending_plan', p.state -> 'pendingChange' -> 'price' ->> 'planId', p.pending_plan_id, true),
        ('subscription_next_due', case when p.status ${IN_ENDED} or p.state -> 'awaiting' <> 'null' then null
           when p.status = 'paused' then case when p.state ->> 'cancelAtPeriodEnd' = 'true' then p.state -> 'period' ->> 'next' end
           when p.state -> 'period' = 'null' then p.state ->> 'startsOn' else p.state -> 'period' ->> 'next' end, p.next_due::text, true),
        ('subscription_awaited', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${CUSTOMER_SUBSCRIPTION_BILL.kind} and w.subject = p.id)::text,
           p.next_due is not null and p.collection_method <> 'external'),
        ('subscription_trial_notice', 'true', exists (select from due_work w where w.organisation_id = ${tx.organisation}
           and w.kind = ${CUSTOMER_SUBSCRIPTION_TRIAL_ENDING.kind} and w.subject = p.id)::text,
          p.status = 'trialing' and p.collection_method <> 'external' and p.state ->> 'cancelAtPeriodEnd' = 'false'
              and p.trial_noticed_for::text is distinct from p.state -> 'period' ->> 'next')
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found
      union all
      ${ofPrices(tx)})`,
);

/** Of a subscription in `part`; to cents where its revenue was reckoned before it was rounded to the currency's unit. */
const rounded = (value: Part): Part => roundedLike(part`p.terms -> 'price' ->> 'currency'`, value, part`p.mrr_cents`);

/**
 * As `worth`, what the recurring price of each subscription in `part` comes to for a period, without VAT: the plan, the
 * add-ons, each tier that is reached, and what is missing of a minimum (interface 16.23), each rounded as the line of a
 * bill is. `place` is 0 for the plan, else the item's.
 */
const WORTH = part`
    tiered as materialized (
      select p.id, t.place, t.price -> 'tiering' ->> 'tierMode' as mode, t.price -> 'tiering' -> 'tiers' as tiers, t.price,
             greatest(0, t.quantity - coalesce((t.price -> 'tiering' ->> 'includedUnits')::numeric, 0)) as units
        from part p cross join lateral (
          select 0, p.terms -> 'price', (p.terms ->> 'quantity')::numeric
          union all select i.place, i.item, (i.item ->> 'quantity')::numeric
            from jsonb_array_elements(p.terms -> 'items') with ordinality as i(item, place) where i.item ->> 'kind' = 'addon'
        ) t(place, price, quantity) where t.price ? 'tiering'),
    -- Each tier that is reached, with the units that it charges.
    reached as (
      select t.id, t.place, n.tier, case t.mode when 'package' then ceil(t.units / (n.tier ->> 'upTo')::numeric) when 'volume' then t.units
               else least(t.units, coalesce((n.tier ->> 'upTo')::numeric, t.units)) - n.over end as charged
        from tiered t cross join lateral (
          select x.tier, coalesce((lag(x.tier ->> 'upTo') over (order by x.place))::numeric, 0) as over
            from jsonb_array_elements(t.tiers) with ordinality as x(tier, place)) n
       where t.units > n.over
         and (t.mode is distinct from 'volume' or n.tier ->> 'upTo' is null or t.units <= (n.tier ->> 'upTo')::numeric)),
    charged as (
      -- A plan's amount is of one unit, beside tiers of the period.
      select p.id, case when p.terms -> 'price' -> 'tiering' ? 'tiers' then null else 0 end as place,
             (p.terms -> 'price' ->> 'amount')::numeric
               * case when p.terms -> 'price' -> 'tiering' ? 'tiers' then 1 else (p.terms ->> 'quantity')::numeric end as amount from part p
      union all
      select p.id, null, ${rounded(part`(i ->> 'quantity')::numeric * (i ->> 'unitAmount')::numeric * 100`)} from part p
       cross join lateral jsonb_array_elements(p.terms -> 'items') i where i ->> 'kind' = 'addon' and not i ? 'tiering'
      union all
      select p.id, t.place, ${rounded(part`t.units * (t.price ->> 'unitAmount')::numeric * 100`)} from tiered t
        join part p on p.id = t.id
       where t.tiers is null and t.place > 0
      union all
      select p.id, r.place, ${rounded(part`r.charged * (r.tier ->> 'unitAmount')::numeric * 100`)} from reached r
        join part p on p.id = r.id
      union all
      select p.id, r.place, ${rounded(part`(r.tier ->> 'flatAmount')::numeric * 100`)} from reached r join part p on p.id = r.id
       where r.tier ? 'flatAmount'),
    lines as (
      select id, amount from charged
      union all
      select t.id, greatest(0, ${rounded(part`(t.price -> 'tiering' ->> 'minimumAmount')::numeric * 100`)} - coalesce((
               select sum(c.amount) from charged c where c.id = t.id and c.place = t.place), 0))
        from tiered t join part p on p.id = t.id where t.price -> 'tiering' ? 'minimumAmount'),
    worth as materialized (
      select l.id, sum(l.amount - case when (p.terms -> 'price' ->> 'taxInclusive')::boolean
               then ${rounded(part`l.amount * (p.terms -> 'price' ->> 'taxRate')::numeric
                      / (100 + (p.terms -> 'price' ->> 'taxRate')::numeric)`)} else 0 end) as amount
        from lines l join part p on p.id = l.id group by l.id),`;

/** What the bill of a subscription in `part` charged, with the credit that it used, up to the currency's unit. */
const CHARGED = part`(ceil((p.total_cents + coalesce(u.gross, 0)) / p.unit) * p.unit)`;

/**
 * Subscriptions' credits against the amounts given, made by bills and used by bills; coupons against the bills to which they were applied;
 * monthly revenue against terms and movements (interface 14.4, 16.10, 16.12).
 */
const amounts = examination(
  "customer_subscriptions",
  // Each sum is made once for all rows: a plan for few subscriptions would make it again for each.
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, customer_id, collection_method, state, mrr_cents, state -> 'terms' as terms, state -> 'coupon' as coupon
        from customer_subscriptions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    billed as materialized (
      select b.customer_subscription_id as id, b.id as bill_id, b.kind, b.cycle, b.lines from customer_subscription_bills b
       where b.organisation_id = ${tx.organisation} and b.customer_subscription_id in (select id from part)),
    entries as (
      select customer_subscription_id as id, credit_id, amount_cents as amount from customer_subscription_credits
       where organisation_id = ${tx.organisation} and customer_subscription_id in (select id from part)
      union all
      select b.id, x ->> 'id', -(x ->> 'amount')::bigint from billed b cross join lateral jsonb_array_elements(b.lines) l
       cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x where x ->> 'by' = 'credit'),
    credits as materialized (
      select id, string_agg(credit_id || ' ' || amount, ', ' order by credit_id) as left_over
        from (select id, credit_id, sum(amount) as amount from entries group by id, credit_id having sum(amount) <> 0) e group by id),
    begun as (
      -- The first bill of a cycle begins its period, a proration too that changes the frequency.
      select distinct on (id, cycle) id, lines from billed where cycle > 0 order by id, cycle, kind = 'proration', bill_id),
    reduced as materialized (
      select b.id, count(*) as bills from begun b join part p on p.id = b.id
        left join lateral (select v.plan_id from jsonb_array_elements(b.lines) l
          join plan_versions v on v.organisation_id = ${tx.organisation} and v.id = l -> 'reason' ->> 'id'
         where l -> 'reason' ->> 'kind' = 'plan' limit 1) v on true
       where coalesce(p.coupon -> 'planIds', 'null') = 'null' or p.coupon ? 'first'
         or p.coupon -> 'planIds' ? coalesce(v.plan_id, p.terms -> 'price' ->> 'planId') group by b.id),
    ${WORTH}
    moved as materialized (
      select customer_subscription_id as id, sum(amount_cents) as amount from customer_subscription_movements
       where organisation_id = ${tx.organisation} and customer_subscription_id in (select id from part) group by 1),
    faults as (
      select p.id, x.rule, x.expected, x.found from part p
        left join credits c on c.id = p.id
        left join reduced k on k.id = p.id
        left join worth w on w.id = p.id
        left join moved m on m.id = p.id
        left join coupon_redemptions r on r.organisation_id = ${tx.organisation} and r.coupon_id = p.coupon ->> 'id' and r.subject = p.id
       cross join lateral (values
        ('subscription_redemption', concat_ws(' ', p.customer_id, p.terms -> 'price' ->> 'currency',
           trim_scale((p.coupon -> 'off' ->> 'percent')::numeric),
           p.coupon -> 'off' ->> 'amount', coalesce(p.coupon ->> 'limit', 'every')),
           concat_ws(' ', r.customer_id, case when r.percent is null then r.currency
                     else p.terms -> 'price' ->> 'currency' end, trim_scale(r.percent), r.amount_cents,
             case r.duration when 'first' then '1' when 'cycles' then r.cycles::text else 'every' end), p.coupon <> 'null'),
        ('subscription_coupon_first', (r.duration = 'first')::text, (p.coupon ? 'first')::text, p.coupon <> 'null'
           and r.duration is not null),
        ('subscription_credits', c.left_over, (select string_agg((x ->> 'id') || ' ' || (x ->> 'amount'), ', ' order by x ->> 'id')
           from jsonb_array_elements(p.state -> 'credits') x), true),
        ('subscription_coupon', least((p.coupon ->> 'limit')::bigint, coalesce(k.bills, 0))::text, p.coupon ->> 'used', p.coupon <> 'null'),
        ('subscription_mrr', case when p.status in ('active', 'past_due') and p.collection_method <> 'external' then ${rounded(part`w.amount
           / case p.terms -> 'price' ->> 'frequency' when 'monthly' then 1 when 'quarterly' then 3
               when 'biannually' then 6 else 12 end`)} else 0 end::text,
           p.mrr_cents::text, true),
        ('subscription_movements', p.mrr_cents::text, coalesce(m.amount, 0)::text, true)
      ) x(rule, expected, found, applies)
       where x.applies and x.expected is distinct from x.found)`,
);

/** Bills against the reasons of their lines, the end of the period before, and their invoices (interface 16.3, 16.13). */
const bills = examination(
  "customer_subscription_bills",
  (tx, { after, limit }) => part`
    with part as materialized (
      select b.*, s.customer_id, ${unitIn(part`s.state -> 'terms' -> 'price' ->> 'currency'`)}::numeric as unit
        from customer_subscription_bills b
        join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = b.customer_subscription_id
       where b.organisation_id = ${tx.organisation} and b.id > ${after} order by b.id limit ${limit}),
    reckoned as (
      select p.id, sum((l ->> 'amount')::bigint) as amount, sum((l ->> 'tax')::bigint) as tax,
             sum((l -> 'reason' ->> 'full')::bigint - (
               select coalesce(sum((x ->> 'amount')::bigint), 0) from jsonb_array_elements(l -> 'reason' -> 'less') x)) as reasoned
        from part p cross join lateral jsonb_array_elements(p.lines) l group by p.id),
    used as (
      select u.id, string_agg(u.credit_id || ' ' || u.amount, ', ' order by u.credit_id) as credits, sum(u.gross) as gross from (
        select p.id, x ->> 'id' as credit_id, sum((x ->> 'amount')::bigint) as amount,
               sum((x ->> 'amount')::numeric * (1 + (l ->> 'taxRate')::numeric / 100)) as gross
          from part p cross join lateral jsonb_array_elements(p.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x
         where x ->> 'by' = 'credit' group by p.id, x ->> 'id') u group by u.id),
    entries as (
      select e.bill_id as id, e.cause, e.credit_id, sum(e.amount_cents) as amount, sum(e.gross_cents) as gross,
             max(e.created_at) as last from customer_subscription_credits e
       where e.organisation_id = ${tx.organisation} and e.bill_id in (select id from part) group by e.bill_id, e.cause, e.credit_id),
    credited as (
      select id, string_agg(credit_id || ' ' || amount, ', ' order by credit_id) filter (where cause = 'returned') as returned,
             coalesce(sum(amount) filter (where cause in ('billed', 'withdrawn')), 0) as given,
             sum(gross) filter (where cause in ('billed', 'withdrawn')) as given_gross, count(*) as entries,
             max(last) filter (where cause = 'billed') as last
        from entries group by id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join used u on u.id = p.id left join credited g on g.id = p.id
        left join reckoned n on n.id = p.id
        left join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id
       cross join lateral (select coalesce(sum(n.amount_cents), 0) as noted from credit_notes n
         where n.organisation_id = ${tx.organisation} and n.invoice_id = p.invoice_id) k
        left join lateral (
          select coalesce(m.ends_on, e.period_next) as period_next from customer_subscription_bills e
            left join lateral (
              select m.ends_on from customer_subscription_moves m
               where m.organisation_id = ${tx.organisation} and m.customer_subscription_id = p.customer_subscription_id
                 and m.cycle = e.cycle
               order by m.id desc limit 1) m on true
           where e.organisation_id = ${tx.organisation} and e.customer_subscription_id = p.customer_subscription_id
             and e.kind <> 'proration' and e.cycle = p.cycle - 1) e on p.kind <> 'proration'
       cross join lateral (values
        ('bill_lines_reasoned', coalesce(n.amount, 0)::text, coalesce(n.reasoned, 0)::text, true),
        ('bill_lines_tax', coalesce(n.tax, 0)::text, p.tax_cents::text, true),
        ('bill_total', (p.subtotal_cents + p.tax_cents)::text, p.total_cents::text, true),
        ('bill_follows', e.period_next::text, p.period_start::text, e.period_next is not null),
        -- What a cancelled invoice had used of credits came back; no other's did.
        ('bill_credit_returned', case when i.status = 'cancelled' then u.credits end, g.returned, true),
        -- Unused days were credited for no more than the bill had charged, and not once it was cancelled.
        ('bill_given_back', ${CHARGED}::text, g.given::text, g.given > ${CHARGED}),
        -- What was given back as credit is not given back by a credit note again; parts are rounded each.
        ('bill_given_back_once', ${CHARGED}::text, (g.given_gross + k.noted)::text,
          g.given_gross + k.noted > ${CHARGED} + g.entries * p.unit),
        ('bill_given_back_cancelled', i.cancelled_at::text, g.last::text, g.last > i.cancelled_at),
        ('bill_invoiced', (p.total_cents > 0)::text, (i.id is not null)::text, true),
        ('bill_invoice', concat_ws(' ', p.total_cents, p.customer_id, p.billed_on, p.period_start, p.kind, p.cycle),
          concat_ws(' ', i.total_cents, i.customer_id, i.issue_date, i.period_start, i.charge, i.cycle),
          i.id is not null),
        ('bill_invoice_lines', (select string_agg(concat_ws(' ', l ->> 'description', (l ->> 'amount')::bigint
             - case when i.tax_inclusive then (l ->> 'tax')::bigint else 0 end, l ->> 'tax', l ->> 'taxExempt'), ', ' order by place)
             from jsonb_array_elements(p.lines) with ordinality as l(l, place)),
          (select string_agg(concat_ws(' ', n.description, n.amount_cents, n.tax_cents,
                             case when n.tax_exempt then 'true' end), ', ' order by n.line) from invoice_lines n
            where n.organisation_id = ${tx.organisation} and n.invoice_id = i.id), i.id is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * The rate of VAT of each line of bills against the settings: that of its first day, or of the day of the bill when
 * that is earlier (interface 16.11). The first line of a period's bill names the price of all its lines. Bills from
 * before rates or registration were changed last were made by others.
 */
const rates = examination(
  "customer_subscription_bills",
  (tx, { after, limit }) => part`
    with part as materialized (
      select b.id, b.billed_on, b.lines, b.customer_subscription_id, o.vat_timeline
        from customer_subscription_bills b join organisation_settings o on o.organisation_id = ${tx.organisation}
       where b.organisation_id = ${tx.organisation} and b.id > ${after} and b.kind <> 'proration'
         and b.created_at >= coalesce(o.vat_changed_at, '-infinity')
       order by b.id limit ${limit}),
    faults as (
      select p.id, 'bill_line_rate' as rule, trim_scale(r.rate)::text as expected,
             trim_scale((l ->> 'taxRate')::numeric)::text as found from part p
       cross join lateral jsonb_array_elements(p.lines) l
       cross join lateral (
         select v.standard_rate, v.tax_exempt, v.tax_rate from plan_versions v
          where v.organisation_id = ${tx.organisation} and v.id = p.lines -> 0 -> 'reason' ->> 'id') v
       cross join lateral (
         select s from jsonb_array_elements(p.vat_timeline) with ordinality as s(s, place)
          where s ->> 'from' is null or s ->> 'from' <= least(p.billed_on::text, l ->> 'periodStart') order by place desc limit 1) s
       cross join lateral (select case when v.tax_exempt or not (s.s ->> 'registered')::boolean then 0
         when v.standard_rate then (s.s ->> 'rate')::numeric else v.tax_rate end as rate) r
       where r.rate is distinct from (l ->> 'taxRate')::numeric)`,
);

/** What `verify` recomputes. */
export const customerSubscriptionExaminations: readonly Examination[] = [subscriptions, amounts, bills, rates];
