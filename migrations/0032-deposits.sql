-- The deposit that a quote asks for, of its total: in cents, 0 without one, and in percent when it was given so. The invoice into which it
-- is converted keeps the amount.
alter table quotes add column deposit_percent numeric;
alter table quotes add column deposit_cents bigint not null default 0;
alter table invoices add column deposit_cents bigint not null default 0;
alter table quotes add constraint quotes_deposit_check check (deposit_cents between 0 and total_cents) not valid;
alter table quotes validate constraint quotes_deposit_check;
alter table invoices add constraint invoices_deposit_check check (deposit_cents between 0 and total_cents) not valid;
alter table invoices validate constraint invoices_deposit_check;
