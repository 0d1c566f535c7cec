-- Where a subscription's credit came from: credit that a cancelled invoice had used comes back; credit for unused days names the bill that had
-- charged them, and is withdrawn when that bill is cancelled.
alter table customer_subscription_credits
  add column bill_id text collate "C",
  add foreign key (organisation_id, bill_id) references customer_subscription_bills (organisation_id, id),
  drop constraint customer_subscription_credits_cause_check,
  add constraint customer_subscription_credits_cause_check check (cause in ('given', 'billed', 'restated', 'returned', 'withdrawn')),
  add check (bill_id is not null or cause not in ('returned', 'withdrawn'));
create index customer_subscription_credits_bill on customer_subscription_credits (organisation_id, bill_id) where bill_id is not null;

-- A period whose bill was cancelled may be begun again on its first day, by a bill of another cycle.
drop index customer_subscription_bills_period;
create unique index customer_subscription_bills_period on customer_subscription_bills (organisation_id, customer_subscription_id, period_start, kind, cycle)
  where kind <> 'proration';

-- What invoices had used that are cancelled.
insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause, bill_id, amount_cents, created_at)
select b.organisation_id, 'cse_' || substr(md5(b.id || (x ->> 'id')), 1, 26), b.customer_subscription_id, x ->> 'id', 'returned', b.id,
       sum((x ->> 'amount')::bigint), max(i.cancelled_at)
  from customer_subscription_bills b
  join invoices i on i.organisation_id = b.organisation_id and i.id = b.invoice_id and i.status = 'cancelled'
 cross join lateral jsonb_array_elements(b.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x
 where x ->> 'by' = 'credit'
 group by b.organisation_id, b.customer_subscription_id, b.id, x ->> 'id';

with descriptions as (
  select b.organisation_id, b.customer_subscription_id, x ->> 'id' as id, min(x ->> 'description') as description
    from customer_subscription_credits c
    join customer_subscription_bills b on b.organisation_id = c.organisation_id and b.id = c.bill_id
   cross join lateral jsonb_array_elements(b.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x
   where c.cause = 'returned' and x ->> 'by' = 'credit' group by 1, 2, 3),
returned as (
  select c.organisation_id, c.customer_subscription_id, c.credit_id as id, d.description, sum(c.amount_cents) as amount
    from customer_subscription_credits c
    join descriptions d on d.organisation_id = c.organisation_id and d.customer_subscription_id = c.customer_subscription_id and d.id = c.credit_id
   where c.cause = 'returned' group by 1, 2, 3, 4),
kept as (
  select s.organisation_id, s.id as customer_subscription_id, k.credit ->> 'id' as id, k.credit, k.place
    from customer_subscriptions s cross join lateral jsonb_array_elements(s.state -> 'credits') with ordinality as k(credit, place)
   where (s.organisation_id, s.id) in (select organisation_id, customer_subscription_id from returned)),
credits as (
  select organisation_id, customer_subscription_id, jsonb_agg(
           case when k.credit is null then jsonb_build_object('id', id, 'description', r.description, 'amount', r.amount)
                when r.id is null then k.credit
                else (k.credit - 'own') || jsonb_build_object('amount', (k.credit ->> 'amount')::bigint + r.amount) end
           order by coalesce(k.place, 0), id) as credits
    from returned r full join kept k using (organisation_id, customer_subscription_id, id) group by 1, 2)
update customer_subscriptions s set state = jsonb_set(s.state, '{credits}', c.credits)
  from credits c where c.organisation_id = s.organisation_id and c.customer_subscription_id = s.id;
