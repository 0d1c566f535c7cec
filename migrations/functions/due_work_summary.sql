-- Counts due work by kind, for operators: depth, due, running, parked, oldest.
create or replace function due_work_summary()
returns table (kind text, waiting bigint, due bigint, running bigint, parked bigint, oldest_due timestamptz)
language plpgsql stable security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  at timestamptz := clock_timestamp();
begin
  return query
    select w.kind, count(*) filter (where w.parked_at is null),
           count(*) filter (where w.parked_at is null and not w.waits_for_clock and w.due_at <= at),
           count(*) filter (where w.lease_until > at), count(*) filter (where w.parked_at is not null),
           min(w.due_at) filter (where w.parked_at is null and not w.waits_for_clock and w.due_at <= at)
      from due_work w group by w.kind order by w.kind;
end $$;
alter function due_work_summary owner to tefo_gate;
