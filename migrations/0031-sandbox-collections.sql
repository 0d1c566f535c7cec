-- What the sandbox gateway collects without a payer: subscriptions, debit orders in batches, and the electronic mandates for these.
create table sandbox_subscriptions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,        -- of the merchant
  reference text collate "C" not null,         -- of the payment that started it; its renewals repeat it
  status text not null check (status in ('active', 'past_due', 'paused', 'cancelled')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  frequency text not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  anchor date not null,                        -- dates are counted from it
  cycle integer not null check (cycle >= 0),   -- which of these dates is the next
  details jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account_id, reference),
  foreign key (organisation_id, account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
alter table sandbox_subscriptions enable row level security;
alter table sandbox_subscriptions force row level security;
create policy tenant on sandbox_subscriptions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on sandbox_subscriptions to tefo_app;

create table sandbox_debit_batches (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  reference text collate "C" not null,         -- the merchant's
  action_date date not null,
  notify_url text not null,
  status text not null check (status in ('open', 'submitted')),
  lines integer not null check (lines between 0 and 50000),
  reported integer not null check (reported >= 0),   -- how many lines are settled and reported
  created_at timestamptz not null,
  submitted_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, account_id, reference),
  foreign key (organisation_id, account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
alter table sandbox_debit_batches enable row level security;
alter table sandbox_debit_batches force row level security;
create policy tenant on sandbox_debit_batches using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on sandbox_debit_batches to tefo_app;

create table sandbox_mandates (
  organisation_id text collate "C" not null,
  id text collate "C" not null,                -- names the page where the payer signs
  account_id text collate "C" not null,
  account_reference text collate "C" not null, -- the merchant's
  status text not null check (status in ('waiting', 'accepted', 'rejected')),
  reason text,
  amount_cents bigint not null check (amount_cents > 0),
  details jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account_id, account_reference),
  foreign key (organisation_id, account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
alter table sandbox_mandates enable row level security;
alter table sandbox_mandates force row level security;
create policy tenant on sandbox_mandates using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on sandbox_mandates to tefo_app;

-- Of renewals: the date that it collects for.
alter table sandbox_payments add column subscription_id text collate "C";
alter table sandbox_payments add column due_on date;
-- Of debits: its place in the batch, from 1.
alter table sandbox_payments add column batch_id text collate "C";
alter table sandbox_payments add column batch_line integer;
alter table sandbox_payments add foreign key (organisation_id, subscription_id)
  references sandbox_subscriptions (organisation_id, id) on delete cascade;
alter table sandbox_payments add foreign key (organisation_id, batch_id)
  references sandbox_debit_batches (organisation_id, id) on delete cascade;
-- Each date of a subscription is collected once, each line of a batch is taken once.
create unique index sandbox_payments_renewal on sandbox_payments (organisation_id, subscription_id, due_on) where subscription_id is not null;
create unique index sandbox_payments_line on sandbox_payments (organisation_id, batch_id, batch_line) where batch_id is not null;
