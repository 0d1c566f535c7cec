-- Debits of mandates that are sent to a gateway together.
create table debit_batches (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  action_date date not null,
  status text collate "C" not null check (status in ('open', 'submitting', 'submitted', 'refused')),
  debits integer not null check (debits >= 0),
  amount_cents bigint not null check (amount_cents >= 0),
  batch_ref text,                                -- the gateway's own id
  problem text,                                  -- why the gateway refused or holds it
  submitted_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id)
);
-- What is gathered for one date waits in one batch.
create unique index debit_batches_open on debit_batches (organisation_id, gateway_account_id, action_date) where status = 'open';
alter table debit_batches enable row level security;
alter table debit_batches force row level security;
create policy tenant on debit_batches using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on debit_batches to tefo_app;

-- One debit: a payment, of one mandate, for one date.
create table debits (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  debit_batch_id text collate "C" not null,
  mandate_id text collate "C" not null,
  debit_date date not null,                      -- as the mandate says, before it is moved to a business day
  primary key (organisation_id, transaction_id),
  unique (organisation_id, mandate_id, debit_date),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  foreign key (organisation_id, debit_batch_id) references debit_batches (organisation_id, id),
  foreign key (organisation_id, mandate_id) references mandates (organisation_id, id)
);
create index debits_batch on debits (organisation_id, debit_batch_id, transaction_id);
alter table debits enable row level security;
alter table debits force row level security;
create policy tenant on debits using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on debits to tefo_app;
