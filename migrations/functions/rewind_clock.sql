-- Puts all rows of an organisation back as a snapshot has them. One statement deletes and one inserts, so that foreign keys are looked at once
-- all tables have their rows; triggers that keep sums and words leave alone what the snapshot holds (app.rewinding). Runs as the owner of the
-- tables: some can only grow. The caller has set the organisation, whose rows alone are seen, and holds its clock. A transaction that writes
-- beside it lets it fail as one that is tried again. False, and nothing is done, when the tables have changed since the snapshot.
create or replace function rewind_clock(p_organisation text, p_snapshot text) returns boolean
  language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  deletion text;
  insertion text;
begin
  if (select s.schema_version from clock_snapshots s where s.organisation_id = p_organisation and s.id = p_snapshot)
      is distinct from (select max(m.name) from migrations m) then
    return false;
  end if;
  perform from organisations where id = p_organisation for update;
  -- Numbers of events that are taken back are not given again: receivers have seen them.
  insert into event_resumptions (organisation_id, subject, sequence, after_sequence)
  select p_organisation, subject, given + 1, kept from (
    select subject, coalesce(k.last_sequence, 0) as kept, g.resumes - 1 as resumed, greatest(n.last_sequence, g.resumes - 1) as given
      from (select e.subject, e.last_sequence from event_subjects e where e.organisation_id = p_organisation) n
      full join (select r.subject, r.last_sequence from clock_snapshot_rows s
                  cross join lateral json_populate_recordset(null::event_subjects, s.rows) r
                 where s.organisation_id = p_organisation and s.snapshot_id = p_snapshot and s.table_name = 'event_subjects') k using (subject)
      left join (select r.subject, max(r.sequence) as resumes from event_resumptions r
                  where r.organisation_id = p_organisation group by r.subject) g using (subject)) x
   where given > kept or given = resumed
  on conflict (organisation_id, subject, sequence) do update set after_sequence = excluded.after_sequence;
  perform set_config('app.rewinding', 'on', true);
  select 'with ' || string_agg(format('%I as (delete from %I where organisation_id = $1)', 'of_' || name, name), ', ') || ' select 1',
         'with ' || string_agg(format('%I as (insert into %I (%s) select %s from clock_snapshot_rows s
             cross join lateral json_populate_recordset(null::%I, s.rows) r
           where s.organisation_id = $1 and s.snapshot_id = $2 and s.table_name = %L)',
           'of_' || name, name, columns, columns_of_r, name, name), ', ') || ' select 1'
    into deletion, insertion
    from (select t.name, t.columns, 'r.' || replace(t.columns, ', ', ', r.') as columns_of_r from snapshot_tables() t) t;
  execute deletion using p_organisation;
  execute insertion using p_organisation, p_snapshot;
  perform set_config('app.rewinding', 'off', true);
  return true;
exception when foreign_key_violation then
  raise exception 'something was written while the clock was rewound' using errcode = 'serialization_failure';
end $$;
revoke execute on function rewind_clock from public;
grant execute on function rewind_clock to tefo_app;
