-- A coupon for the first charge is known as such, beside one for a single cycle: it is spent with the first bill of a period, whatever its plan. Those that
-- waited for a plan since a first bill without them are spent.
update customer_subscriptions s
   set state = jsonb_set(s.state, '{coupon}', (s.state -> 'coupon') || jsonb_build_object('first', true)
         || case when (s.state ->> 'cyclesBilled')::integer > 0 then jsonb_build_object('used', 1) else '{}' end)
  from coupon_redemptions r
 where r.organisation_id = s.organisation_id and r.coupon_id = s.state -> 'coupon' ->> 'id' and r.subject = s.id and r.duration = 'first'
   and s.state -> 'coupon' <> 'null';
