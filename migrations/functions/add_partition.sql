-- Adds a partition to a table of tenants, isolated as the table is; does nothing when it exists.
create or replace function add_partition(parent text, name text, lower_bound text, upper_bound text) returns void language plpgsql as $$
begin
  if to_regclass(format('public.%I', name)) is not null then return; end if;
  execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, lower_bound, upper_bound);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant on %I using (organisation_id = app_organisation()) with check (organisation_id = app_organisation())', name);
end $$;
