-- Bank statements that were imported, their lines, and what each line is matched with.
create table reconciliation_runs (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rcn\_%'),
  source text collate "C" not null check (source in ('statement_feed', 'csv_upload')),
  account text not null check (account <> ''),
  gateway_account_id text collate "C",
  status text collate "C" not null check (status in ('running', 'completed', 'failed')),
  currency text not null,
  period_start date not null,
  period_end date not null check (period_end >= period_start),
  item_count integer not null check (item_count >= 0),
  matched_count integer not null check (matched_count >= 0),
  unmatched_count integer not null check (unmatched_count >= 0),
  not_received_count integer not null check (not_received_count >= 0),
  matched_cents bigint not null,
  unmatched_cents bigint not null,
  file_name text,
  failure text check ((failure is not null) = (status = 'failed')),
  started_at timestamptz not null,
  finished_at timestamptz check ((finished_at is null) = (status = 'running')),
  check (item_count >= matched_count + unmatched_count + not_received_count),
  primary key (organisation_id, id),
  foreign key (organisation_id) references organisations (id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id)
);
create index reconciliation_runs_started on reconciliation_runs (organisation_id, started_at, id);
alter table reconciliation_runs enable row level security;
alter table reconciliation_runs force row level security;
create policy tenant on reconciliation_runs using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on reconciliation_runs to tefo_app;

create table reconciliation_items (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rci\_%'),
  run_id text collate "C" not null,
  place integer not null check (place >= 0),
  date date not null,
  description text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  reference text,
  status text collate "C" not null check (status in ('matched', 'unmatched', 'not_received', 'duplicate')),
  line_key bytea,
  occurrence integer,
  transaction_reference text collate "C",
  match_id text collate "C" check ((match_id is not null) = (status = 'matched')),
  reason text collate "C",
  matched_by text,
  matched_at timestamptz check ((matched_at is not null) = (match_id is not null)),
  check ((line_key is null) = (status = 'not_received') and (line_key is null) = (occurrence is null)),
  primary key (organisation_id, id),
  unique (organisation_id, run_id, place),
  foreign key (organisation_id, run_id) references reconciliation_runs (organisation_id, id)
);
create index reconciliation_items_line on reconciliation_items (organisation_id, line_key) where line_key is not null and status <> 'duplicate';
create index reconciliation_items_status on reconciliation_items (organisation_id, status, id) where status <> 'matched';
alter table reconciliation_items enable row level security;
alter table reconciliation_items force row level security;
create policy tenant on reconciliation_items using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on reconciliation_items to tefo_app;

create table reconciliation_allocations (
  organisation_id text collate "C" not null,
  match_id text collate "C" not null,
  place smallint not null check (place >= 0),
  item_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('payment', 'refund', 'reversal', 'invoice_payment', 'credit_refund', 'customer_credit', 'payout', 'bank_fee', 'own_transfer')),
  subject text collate "C" check ((subject is null) = (kind in ('bank_fee', 'own_transfer'))),
  amount_cents bigint not null check (amount_cents <> 0),
  posted boolean not null,
  recorded boolean not null,
  undone_at timestamptz,
  primary key (organisation_id, match_id, place),
  foreign key (organisation_id, item_id) references reconciliation_items (organisation_id, id)
);
create index reconciliation_allocations_item on reconciliation_allocations (organisation_id, item_id);
create index reconciliation_allocations_subject on reconciliation_allocations (organisation_id, subject) where undone_at is null and subject is not null;
alter table reconciliation_allocations enable row level security;
alter table reconciliation_allocations force row level security;
create policy tenant on reconciliation_allocations using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on reconciliation_allocations to tefo_app;

create table reconciliation_accounts (
  organisation_id text collate "C" not null,
  account text not null check (account <> ''),
  mapping jsonb,
  updated_at timestamptz not null,
  primary key (organisation_id, account),
  foreign key (organisation_id) references organisations (id)
);
alter table reconciliation_accounts enable row level security;
alter table reconciliation_accounts force row level security;
create policy tenant on reconciliation_accounts using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on reconciliation_accounts to tefo_app;

create table reconciliation_rules (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rcr\_%'),
  account text not null,
  fragment text not null check (fragment <> ''),
  direction text collate "C" not null check (direction in ('in', 'out')),
  kind text collate "C" not null check (kind in ('payout', 'bank_fee', 'own_transfer')),
  subject text collate "C" check ((subject is null) = (kind in ('bank_fee', 'own_transfer'))),
  status text collate "C" not null check (status in ('proposed', 'accepted', 'declined')),
  item_id text collate "C" not null,
  decided_at timestamptz check ((decided_at is null) = (status = 'proposed')),
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account, fragment, direction),
  foreign key (organisation_id, item_id) references reconciliation_items (organisation_id, id)
);
alter table reconciliation_rules enable row level security;
alter table reconciliation_rules force row level security;
create policy tenant on reconciliation_rules using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on reconciliation_rules to tefo_app;

create index transactions_paid_amount on transactions (organisation_id, amount_cents, paid_at) where paid_at is not null;
