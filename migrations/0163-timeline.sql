-- What is found of one record: what staff wrote about it, its mails, and who changed it.
create table notes (
  organisation_id text collate "C" not null references organisations (id),
  id text collate "C" not null check (id like 'note\_%'),
  subject text collate "C" not null,
  text text not null,
  member_id text collate "C" not null,
  author_name text not null,
  created_at timestamptz not null,
  primary key (organisation_id, id)
);
create index notes_subject on notes (organisation_id, subject, id);
alter table notes enable row level security;
alter table notes force row level security;
create policy tenant on notes using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, delete on notes to tefo_app;

create index emails_about on emails (organisation_id, about, id) where about is not null;
create index audit_log_subject on audit_log (organisation_id, subject, id) where subject is not null;
