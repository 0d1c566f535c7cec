-- When the gateway reported a payment as paid that waits until the gateway's statement names it.
alter table transactions add column reported_at timestamptz;
create index transactions_reported on transactions (organisation_id, reported_at) where reported_at is not null and paid_at is null;
