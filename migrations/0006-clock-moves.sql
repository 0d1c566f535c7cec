-- What requests ask for while a clock moves: the move does of it what it has room for, and workers the rest after it, so that a move ends
-- however many ask.
alter table due_work add column meanwhile boolean not null default false;
create index due_work_meanwhile on due_work (organisation_id, due_at) where meanwhile and parked_at is null;

/**
 * Asks for work, due by the organisation's clock; asked again before it is done, its time is replaced and its attempts begin anew.
 * Background work sets `app.background`: what it asks for is a move's own.
 */
create or replace function enqueue_due_work(p_kind text, p_subject text, p_due timestamptz, p_lane text default null) returns void
language plpgsql as $$
declare
  clock timestamptz;
  moving_until timestamptz;
  is_due boolean;
  is_meanwhile boolean;
begin
  select clock_at into clock from organisations where id = app_organisation();
  if clock is not null then
    -- A move of the clock waits for what is being asked for now, rather than pass it by.
    select clock_at, clock_moving_until into clock, moving_until from organisations where id = app_organisation() for share;
  end if;
  is_due := p_due <= coalesce(clock, clock_timestamp());
  is_meanwhile := coalesce(moving_until > clock_timestamp(), false) and coalesce(current_setting('app.background', true), '') <> 'on';
  insert into due_work as w (organisation_id, kind, subject, lane, due_at, ripe, held, meanwhile)
  values (app_organisation(), p_kind, p_subject, coalesce(p_lane, p_kind), p_due, is_due, clock is not null and not is_due, is_meanwhile)
  on conflict (organisation_id, kind, subject) do update
    set lane = excluded.lane, due_at = excluded.due_at, ripe = excluded.ripe, held = excluded.held, meanwhile = excluded.meanwhile,
        attempts = 0, lease_token = null, lease_until = null, parked_at = null, last_error = null;
  -- Commits that notify wait for each other, so one of those under way does it for all: who is woken claims until nothing is left.
  if is_due and pg_try_advisory_xact_lock(hashtext('tefo wake')) then perform pg_notify('tefo_due_work', ''); end if;
end $$;
