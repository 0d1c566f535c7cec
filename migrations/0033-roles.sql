-- Roles that organisations make of the permissions that exist. Members and invitations name a built-in role, or one of these by its id.
create table roles (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'role\_%'),
  name text not null,
  permissions text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id)
);
create unique index roles_name on roles (organisation_id, lower(name));

alter table roles enable row level security;
alter table roles force row level security;
create policy tenant on roles using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
create policy gate on roles for select to tefo_gate using (true);
grant select, insert, update, delete on roles to tefo_app;
grant select on roles to tefo_gate;

alter table members drop constraint members_role_check;
alter table members add constraint members_role_check check (role in ('owner', 'admin', 'finance', 'support', 'viewer') or role like 'role\_%');
alter table invitations drop constraint invitations_role_check;
alter table invitations
  add constraint invitations_role_check check (role in ('owner', 'admin', 'finance', 'support', 'viewer') or role like 'role\_%');

-- It returns the role of a membership, too.
drop function if exists memberships_of(text);
