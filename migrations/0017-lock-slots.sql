-- What has no row of its own to lock, such as an email address that no customer has yet: a name falls into one of a few rows of its kind,
-- made when they are first wanted. A row is locked on the node that holds its organisation; an advisory lock belongs to one node.
create table lock_slots (
  organisation_id text collate "C" not null references organisations,
  kind text collate "C" not null,
  slot smallint not null,
  primary key (organisation_id, kind, slot)
);
alter table lock_slots enable row level security;
alter table lock_slots force row level security;
create policy tenant on lock_slots using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on lock_slots to tefo_app;
