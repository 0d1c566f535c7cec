-- Payments that are anything but complete are few: their lists read an index, not every payment.
create index transactions_unusual on transactions (organisation_id, status, id) where status <> 'complete';

-- A function of a column is no condition of an index under row level security, so the address stands in the index as it was typed.
drop index transactions_payer;
create index transactions_payer on transactions (organisation_id, payer_email collate "C", id) where customer_id is null and payer_email is not null;

-- What is being tried again is a small part of what ever failed.
create index subscription_collections_retried on subscription_collections (organisation_id, invoice_id) where missed_at is not null and ended is null;
