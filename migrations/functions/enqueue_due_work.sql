-- Asks for one piece of work within a statement, as `enqueue` (src/platform/due-work.ts) does for a transaction: due by the organisation's
-- clock; asked again before it is done, its time is replaced and its attempts begin anew. Background work sets `app.background`: what it
-- asks for is a move's own.
create or replace function enqueue_due_work(p_kind text, p_subject text, p_due timestamptz, p_lane text default null) returns void language plpgsql as $$
declare
  tenant text := app_organisation();
  clock timestamptz;
  moving_until timestamptz;
  due_now boolean;
  during_move boolean;
begin
  select clock_at into clock from organisations where id = tenant;
  if clock is not null then
    -- A move of the clock waits for what is being asked for now, rather than pass it by.
    select clock_at, clock_moving_until into clock, moving_until from hold_clock(tenant);
  end if;
  due_now := p_due <= coalesce(clock, clock_timestamp());
  during_move := coalesce(moving_until > clock_timestamp(), false) and coalesce(current_setting('app.background', true), '') <> 'on';
  insert into due_work as w (organisation_id, kind, subject, lane, due_at, is_due, waits_for_clock, asked_during_move)
  values (tenant, p_kind, p_subject, coalesce(p_lane, p_kind), p_due, due_now, clock is not null and not due_now, during_move)
  on conflict (organisation_id, kind, subject) do update
    set lane = excluded.lane, due_at = excluded.due_at,
        is_due = excluded.is_due, waits_for_clock = excluded.waits_for_clock, asked_during_move = excluded.asked_during_move,
        attempts = 0, lease_token = null, lease_until = null, parked_at = null, last_error = null;
  -- Commits that notify wait for each other, so one of those under way does it for all: who is woken claims until nothing is left.
  if due_now and pg_try_advisory_xact_lock(hashtext('tefo wake')) then perform pg_notify('tefo_due_work', ''); end if;
end $$;
