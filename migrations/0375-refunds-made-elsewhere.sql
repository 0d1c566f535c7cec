-- Refunds that staff made in the gateway's own dashboard: booked when the gateway tells of them, or when staff record them.
alter table refunds add column made_elsewhere boolean not null default false;
alter table refunds add constraint refunds_made_elsewhere_check check (not made_elsewhere or method = 'gateway');

-- Reports of refunds that could not be booked yet, by the payment that they name.
create index gateway_notifications_refunds on gateway_notifications (organisation_id, gateway_account_id, reference)
  where fact ->> 'about' = 'refund' and outcome in ('unknown_reference', 'mismatch');
create index gateway_notifications_refund_payments on gateway_notifications (organisation_id, gateway_account_id, (fact ->> 'paymentRef'))
  where fact ->> 'about' = 'refund' and outcome in ('unknown_reference', 'mismatch');
