-- Keeps all rows of an organisation under a snapshot, in one statement, so that they are of one moment. Runs as the owner of the tables: the
-- service may not read some of them. The caller has set the organisation, whose rows alone are seen.
create or replace function keep_clock_snapshot(p_organisation text, p_snapshot text) returns void
  language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  statement text;
begin
  select 'insert into clock_snapshot_rows (organisation_id, snapshot_id, table_name, place, rows) ' || string_agg(format(
    'select $1, $2, %L, x.place, json_agg(x.kept) from (
       select row_to_json(t) as kept, (row_number() over () - 1) / 500 as place from %I t where t.organisation_id = $1) x group by x.place',
    name, name), ' union all ') into statement from snapshot_tables();
  execute statement using p_organisation, p_snapshot;
  update clock_snapshots set schema_version = (select max(m.name) from migrations m)
   where organisation_id = p_organisation and id = p_snapshot;
end $$;
revoke execute on function keep_clock_snapshot from public;
grant execute on function keep_clock_snapshot to tefo_app;
