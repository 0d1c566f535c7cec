-- What a gateway reported of a subscription before the payment that begins it was known: it is applied again once it has begun.
create index gateway_notifications_subscription on gateway_notifications (organisation_id, gateway_account_id, (fact -> 'subscription' ->> 'key'))
  where outcome in ('unknown_reference', 'mismatch') and fact -> 'subscription' ->> 'key' is not null;
