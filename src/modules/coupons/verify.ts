// Writes nothing. Reads: coupons, coupon_redemptions, plans, products, customer_subscriptions.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";

/** Coupons against their redemptions, their limits, and what they are restricted to (interface 16.12). */
const coupons = examination(
  "coupons",
  (tx, { after, limit }) => part`
    with part as materialized (
      select * from coupons where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    of_customers as (
      select coupon_id, count(*) as count, count(*) filter (where not late) as in_time from coupon_redemptions
       where organisation_id = ${tx.organisation} and coupon_id in (select id from part) and released_at is null
       group by coupon_id, customer_id),
    redeemed as (
      select coupon_id, sum(count) as count, sum(in_time) as in_time, max(in_time) as of_one from of_customers group by coupon_id),
    facts as (
      select p.*, coalesce(r.count, 0) as counted, coalesce(r.in_time, 0) as in_time, coalesce(r.of_one, 0) as of_one,
             (select count(*) from plans s where s.organisation_id = ${tx.organisation} and s.id = any (p.plan_ids))
               + (select count(*) from products s where s.organisation_id = ${tx.organisation} and s.id = any (p.product_ids)) as existing
        from part p left join redeemed r on r.coupon_id = p.id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('coupon_redemptions', f.counted::text, f.redemptions::text, true),
        ('coupon_redemptions_at_most', f.max_redemptions::text, f.in_time::text, f.in_time > f.max_redemptions),
        ('coupon_redemptions_of_customer', f.max_redemptions_per_customer::text, f.of_one::text, f.of_one > f.max_redemptions_per_customer),
        ('coupon_redeemed_for', null, (select min(o.subject) from coupon_redemptions o
           where o.organisation_id = ${tx.organisation} and o.coupon_id = f.id and o.subject like 'csub\\_%' and not exists (
             select from customer_subscriptions s where s.organisation_id = ${tx.organisation} and s.id = o.subject
                 and s.state -> 'coupon' ->> 'id' = f.id)), true),
        ('coupon_restrictions_exist', (cardinality(f.plan_ids) + cardinality(f.product_ids))::text, f.existing::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const couponExaminations: readonly Examination[] = [coupons];
