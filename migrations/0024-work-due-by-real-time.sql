-- Work that waits for another system falls due by real time too: the clock of a sandbox organisation may stand still for ever, and what a
-- gateway was asked for and did not answer would stay open.
alter table due_work add column latest_at timestamptz;   -- machine time: due by then, wherever the organisation's clock stands

create index due_work_latest on due_work (latest_at) where held and parked_at is null and latest_at is not null;

/**
 * Makes due what waits for an organisation's clock and whose time has passed on the machine's clock, one organisation after the other;
 * skips locked rows, and organisations whose clock is being moved. Answers how many pieces.
 */
create function end_long_waits() returns integer
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
             where w.held and w.parked_at is null and w.latest_at <= at order by w.latest_at limit 1000) p
     group by p.organisation_id order by p.organisation_id
  loop
    update due_work w set ripe = true, held = false
     where w.organisation_id = share.organisation_id and (w.kind, w.subject) in (
       select d.kind, d.subject from due_work d join unnest(share.kinds, share.subjects) as p(kind, subject) using (kind, subject)
        where d.organisation_id = share.organisation_id and d.held and d.parked_at is null and d.latest_at <= at
        for update of d skip locked)
       and exists (select from organisations o
                    where o.id = share.organisation_id and (o.clock_moving_until is null or o.clock_moving_until < at));
    get diagnostics ended = row_count;
    total := total + ended;
  end loop;
  return total;
end $$;

-- A function's new owner has to be allowed to create in its schema.
grant create on schema public to tefo_gate;
alter function end_long_waits owner to tefo_gate;
revoke create on schema public from tefo_gate;
