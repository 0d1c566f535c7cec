-- A coupon for the first charge is known as such, beside one for a single cycle: it is spent with the first bill of a period, whatever its plan. Those that
-- waited for a plan since a first bill without them are spent.
alter table organisations no force row level security;
alter table customer_subscriptions no force row level security;
alter table coupon_redemptions no force row level security;
do $$
declare tenant text;
begin
  for tenant in select id from organisations order by id loop
    update customer_subscriptions s
       set state = jsonb_set(s.state, '{coupon}', (s.state -> 'coupon') || jsonb_build_object('first', true)
             || case when (s.state ->> 'cyclesBilled')::integer > 0 then jsonb_build_object('used', 1) else '{}' end)
      from coupon_redemptions r
     where s.organisation_id = tenant and r.organisation_id = tenant and r.coupon_id = s.state -> 'coupon' ->> 'id' and r.subject = s.id
       and r.duration = 'first';
  end loop;
end $$;
alter table organisations force row level security;
alter table customer_subscriptions force row level security;
alter table coupon_redemptions force row level security;
