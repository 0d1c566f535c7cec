-- Changes of the bank accounts that payers are told to pay to. Of account numbers only the end is kept.
create table bank_detail_changes (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'bdc\_%'),
  -- Without a foreign key: the account may have been deleted since.
  gateway_account_id text collate "C" not null,
  gateway_name text not null,
  kind text collate "C" not null check (kind in ('added', 'changed', 'removed')),
  fields text[] not null,
  before jsonb,
  after jsonb,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text,
  changed_at timestamptz not null,
  held_until timestamptz check (held_until > changed_at),
  primary key (organisation_id, id),
  foreign key (organisation_id) references organisations (id)
);
create index bank_detail_changes_held on bank_detail_changes (organisation_id, held_until) where held_until is not null;
alter table bank_detail_changes enable row level security;
alter table bank_detail_changes force row level security;
create policy tenant on bank_detail_changes using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert on bank_detail_changes to tefo_app;
