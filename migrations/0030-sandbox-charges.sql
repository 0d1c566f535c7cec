-- Payments of the sandbox gateway that settle by themselves: charges of stored cards, renewals of subscriptions, debits of bank accounts.
alter table sandbox_payments add column kind text not null default 'checkout';
alter table sandbox_payments add constraint sandbox_payments_kind_check check (kind in ('checkout', 'charge', 'renewal', 'debit'));
-- When it settles by itself; null: it does not, because its payer decides, or somebody has decided before.
alter table sandbox_payments add column settles_at timestamptz;
-- The merchant's references are the idempotency keys of charges and debits.
create unique index sandbox_payments_charge on sandbox_payments (organisation_id, account_id, reference)
  where kind in ('charge', 'debit');
