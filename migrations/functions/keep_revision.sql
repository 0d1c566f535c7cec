-- Keeps what the service has made of a record (revisions). Its arguments are the columns that are left out. In UTC, since facts are
-- compared as text.
create or replace function keep_revision() returns trigger
language plpgsql
 set timezone to 'UTC' as $$
begin
  insert into revisions (organisation_id, subject, number, facts)
  select new.organisation_id, new.id, 1 + coalesce(max(r.number), 0), to_jsonb(new) - 'organisation_id' - 'id' - coalesce(tg_argv, '{}')
    from revisions r where r.organisation_id = new.organisation_id and r.subject = new.id;
  return null;
end $$;
