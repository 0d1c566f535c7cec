-- The codes that a merchant's accounting software has for ledger accounts and VAT; what is not in it has its default.
create table accounting_software (
  organisation_id text collate "C" not null,
  software text collate "C" not null check (software in ('xero', 'sage', 'quickbooks')),
  codes jsonb not null,
  primary key (organisation_id, software),
  foreign key (organisation_id) references organisations (id)
);
alter table accounting_software enable row level security;
alter table accounting_software force row level security;
create policy tenant on accounting_software using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on accounting_software to tefo_app;
