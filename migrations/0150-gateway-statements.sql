-- Statements of gateways that publish results on them alone: which days were read, and the lines about payments.
alter table gateway_notifications drop constraint gateway_notifications_source_check;
alter table gateway_notifications add constraint gateway_notifications_source_check
  check (source in ('notification', 'query', 'payer', 'sweep', 'staff', 'statement')) not valid;

create table gateway_statements (
  organisation_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  day date not null,
  ticket text collate "C",
  read_at timestamptz,
  primary key (organisation_id, gateway_account_id, day),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
alter table gateway_statements enable row level security;
alter table gateway_statements force row level security;
create policy tenant on gateway_statements using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on gateway_statements to tefo_app;

create table gateway_statement_lines (
  organisation_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  line text collate "C" not null,
  reference text collate "C" not null,
  fact jsonb not null,
  counts_from date,
  status text collate "C" not null check (status in ('waiting', 'applied', 'taken_back')),
  read_at timestamptz not null,
  primary key (organisation_id, gateway_account_id, line),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
create index gateway_statement_lines_waiting on gateway_statement_lines (organisation_id, gateway_account_id, counts_from, line) where status = 'waiting';
create index gateway_statement_lines_reference on gateway_statement_lines (organisation_id, gateway_account_id, reference);
alter table gateway_statement_lines enable row level security;
alter table gateway_statement_lines force row level security;
create policy tenant on gateway_statement_lines using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on gateway_statement_lines to tefo_app;
