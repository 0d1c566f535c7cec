-- Debit order mandates: a customer's authority to collect an amount from a bank account on a day of the month.
create table mandates (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_reference text collate "C" not null,
  customer_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  product_id text collate "C",
  subscription_id text collate "C",
  status text collate "C" not null check (status in ('pending', 'active', 'paused', 'cancelled')),
  authority text collate "C" not null check (authority in ('agreement', 'emandate', 'offline')),
  description text not null,
  notes text,
  amount_cents bigint not null check (amount_cents > 0),
  frequency text collate "C" not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  debit_day smallint not null check (debit_day between 1 and 31),
  start_date date not null,
  end_date date check (end_date > start_date),
  first_debit_date date not null,                -- the first date by the terms at creation: its month is the first period
  last_debit_date date,                          -- the newest date that went into a batch
  next_debit_date date,                          -- the date to collect next; null unless it is active, and after the end date
  last_collected_at date,
  failure_count integer not null default 0 check (failure_count >= 0),
  bank_name text,
  branch_code text collate "C" not null,
  account_type text collate "C" not null check (account_type in ('current', 'savings', 'transmission')),
  account_holder text not null,
  account_number_sealed text not null,
  account_number_last4 text collate "C" not null,
  id_number_sealed text,
  id_number_last4 text collate "C",
  e_mandate_url text,
  authorised_at timestamptz,
  agreement_signed_at timestamptz,
  approved_at timestamptz,
  rejected_at timestamptz,
  rejection_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account_reference),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id),
  foreign key (organisation_id, product_id) references products (organisation_id, id),
  check (next_debit_date is null or status = 'active'),
  check (rejected_at is null or status = 'cancelled'),
  check (authorised_at is not null or status in ('pending', 'cancelled'))
);
create index mandates_customer on mandates (organisation_id, customer_id, id);
create index mandates_due on mandates (organisation_id, next_debit_date, id) where next_debit_date is not null;
create index mandates_product on mandates (organisation_id, product_id) where product_id is not null;
create index mandates_gateway_account on mandates (organisation_id, gateway_account_id);
-- What counts towards the plan's limit.
create index mandates_open on mandates (organisation_id, id) where status <> 'cancelled';
alter table mandates enable row level security;
alter table mandates force row level security;
create policy tenant on mandates using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on mandates to tefo_app;
