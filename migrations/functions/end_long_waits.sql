-- Makes due what waits for an organisation's clock and whose time has passed on the machine's clock, one organisation after the other;
-- skips locked rows, and organisations whose clock is being moved. Answers how many pieces.
create or replace function end_long_waits() returns integer
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  at timestamptz := clock_timestamp();
  share record;
  ended integer;
  total integer := 0;
begin
  for share in
    select p.organisation_id, array_agg(p.kind) as kinds, array_agg(p.subject) as subjects
      from (select w.organisation_id, w.kind, w.subject from due_work w
             where w.waits_for_clock and w.parked_at is null and w.latest_at <= at order by w.latest_at limit 1000) p
     group by p.organisation_id order by p.organisation_id
  loop
    update due_work w set is_due = true, waits_for_clock = false
     where w.organisation_id = share.organisation_id and (w.kind, w.subject) in (
       select d.kind, d.subject from due_work d join unnest(share.kinds, share.subjects) as p(kind, subject) using (kind, subject)
        where d.organisation_id = share.organisation_id and d.waits_for_clock and d.parked_at is null and d.latest_at <= at
        for update of d skip locked)
       and exists (select from organisations o
                    where o.id = share.organisation_id and (o.clock_moving_until is null or o.clock_moving_until < at));
    get diagnostics ended = row_count;
    total := total + ended;
  end loop;
  return total;
end $$;
alter function end_long_waits owner to tefo_gate;
