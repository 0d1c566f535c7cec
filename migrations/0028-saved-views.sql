-- Views of the dashboard's lists that members have saved, for themselves (`member_id`) or for all members.
create table saved_views (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'view\_%'),
  list text collate "C" not null,
  name text collate "C" not null,
  query text not null,
  member_id text collate "C",
  created_by text not null,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique nulls not distinct (organisation_id, list, member_id, name)
);

alter table saved_views enable row level security;
alter table saved_views force row level security;
create policy tenant on saved_views using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, insert, update, delete on saved_views to tefo_app;
