-- Where a subscription's credit came from: credit that a cancelled invoice had used comes back; credit for unused days names the bill that had
-- charged them, and is withdrawn when that bill is cancelled.
alter table customer_subscription_credits add column bill_id text collate "C";
alter table customer_subscription_credits add foreign key (organisation_id, bill_id) references customer_subscription_bills (organisation_id, id);
alter table customer_subscription_credits drop constraint customer_subscription_credits_cause_check;
alter table customer_subscription_credits add constraint customer_subscription_credits_cause_check
  check (cause in ('given', 'billed', 'restated', 'returned', 'withdrawn'));
alter table customer_subscription_credits add check (bill_id is not null or cause not in ('returned', 'withdrawn'));
create index customer_subscription_credits_bill on customer_subscription_credits (organisation_id, bill_id) where bill_id is not null;

-- A period whose bill was cancelled may be begun again on its first day, by a bill of another cycle.
drop index customer_subscription_bills_period;
create unique index customer_subscription_bills_period on customer_subscription_bills (organisation_id, customer_subscription_id, period_start, kind, cycle)
  where kind <> 'proration';

-- What invoices had used that are cancelled comes back.
alter table customer_subscriptions no force row level security;
alter table customer_subscription_bills no force row level security;
alter table customer_subscription_credits no force row level security;
alter table invoices no force row level security;
do $$
declare
  tenant text;
  used record;
begin
  for tenant in select distinct organisation_id from customer_subscriptions loop
    for used in
      select b.customer_subscription_id as id, b.id as bill_id, x ->> 'id' as credit_id, min(x ->> 'description') as description,
             sum((x ->> 'amount')::bigint) as amount, max(i.cancelled_at) as cancelled_at
        from customer_subscription_bills b
        join invoices i on i.organisation_id = tenant and i.id = b.invoice_id and i.status = 'cancelled'
       cross join lateral jsonb_array_elements(b.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x
       where b.organisation_id = tenant and x ->> 'by' = 'credit' group by 1, 2, 3
    loop
      insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause, bill_id, amount_cents, created_at)
      values (tenant, 'cse_' || substr(md5(used.bill_id || used.credit_id), 1, 26), used.id, used.credit_id, 'returned', used.bill_id, used.amount,
        used.cancelled_at);
      update customer_subscriptions s set state = jsonb_set(s.state, '{credits}', (
               select jsonb_agg(k.credit order by k.place) from (
                 select case when c.credit ->> 'id' = used.credit_id
                             then (c.credit - 'own') || jsonb_build_object('amount', (c.credit ->> 'amount')::bigint + used.amount) else c.credit end as credit,
                        c.place
                   from jsonb_array_elements(s.state -> 'credits') with ordinality c(credit, place)
                 union all
                 select jsonb_build_object('id', used.credit_id, 'description', used.description, 'amount', used.amount), 0
                  where not exists (select from jsonb_array_elements(s.state -> 'credits') c where c ->> 'id' = used.credit_id)) k))
       where s.organisation_id = tenant and s.id = used.id;
    end loop;
  end loop;
end $$;
alter table customer_subscriptions force row level security;
alter table customer_subscription_bills force row level security;
alter table customer_subscription_credits force row level security;
alter table invoices force row level security;
