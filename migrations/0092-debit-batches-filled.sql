-- The batch has as many debits as its gateway takes in one: what is gathered for the date goes into another.
alter table debit_batches add column filled boolean not null default false;
create unique index debit_batches_gathering on debit_batches (organisation_id, gateway_account_id, action_date) where status = 'open' and not filled;
drop index debit_batches_open;
