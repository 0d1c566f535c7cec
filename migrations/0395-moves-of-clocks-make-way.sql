-- A move of an organisation's clock waits for a while for those that write due work, and then lets those pass that came meanwhile: a long transaction,
-- such as an import, would keep all others from writing, and one that holds the clock could wait for another one that waits for it behind the move.

create function take_clock(p_organisation text) returns boolean language plpgsql set lock_timeout = '500ms' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('clock ' || p_organisation, 0));
  return true;
exception when lock_not_available then
  return false;
end $$;

-- Those that write due work by these functions hold the clock as others do: first its name, then the organisation's row. They held the row alone, and
-- waited for the name before their commit, while a move had the name and waited for the row.

create or replace function enqueue_due_work(p_kind text, p_subject text, p_due timestamptz, p_lane text default null) returns void language plpgsql as $$
declare
  tenant text := app_organisation();
  clock timestamptz;
  moving_until timestamptz;
  is_due boolean;
  is_meanwhile boolean;
begin
  select clock_at into clock from organisations where id = tenant;
  if clock is not null then
    -- A move of the clock waits for what is being asked for now, rather than pass it by.
    select clock_at, clock_moving_until into clock, moving_until from hold_clock(tenant);
  end if;
  is_due := p_due <= coalesce(clock, clock_timestamp());
  is_meanwhile := coalesce(moving_until > clock_timestamp(), false) and coalesce(current_setting('app.background', true), '') <> 'on';
  insert into due_work as w (organisation_id, kind, subject, lane, due_at, ripe, held, meanwhile)
  values (tenant, p_kind, p_subject, coalesce(p_lane, p_kind), p_due, is_due, clock is not null and not is_due, is_meanwhile)
  on conflict (organisation_id, kind, subject) do update
    set lane = excluded.lane, due_at = excluded.due_at, ripe = excluded.ripe, held = excluded.held, meanwhile = excluded.meanwhile,
        attempts = 0, lease_token = null, lease_until = null, parked_at = null, last_error = null;
  -- Commits that notify wait for each other, so one of those under way does it for all: who is woken claims until nothing is left.
  if is_due and pg_try_advisory_xact_lock(hashtext('tefo wake')) then perform pg_notify('tefo_due_work', ''); end if;
end $$;

create or replace function enqueue_due_works(p_organisation text, p_kinds text[], p_subjects text[], p_due timestamptz[], p_lanes text[]) returns void language plpgsql as $$
declare
  clock timestamptz;
  moving_until timestamptz;
  at timestamptz := clock_timestamp();
  is_meanwhile boolean := false;
  earliest timestamptz;
begin
  select clock_at into clock from organisations where id = p_organisation;
  if clock is not null then
    -- A move of the clock waits for what is being asked for now, rather than pass it by.
    select clock_at, clock_moving_until into clock, moving_until from hold_clock(p_organisation);
    is_meanwhile := coalesce(moving_until > at, false) and coalesce(current_setting('app.background', true), '') <> 'on';
    at := coalesce(clock, at);
  end if;
  with put as (
    insert into due_work as w (organisation_id, kind, subject, lane, due_at, ripe, held, meanwhile)
    select p_organisation, d.kind, d.subject, d.lane, d.due_at, d.due_at <= at, clock is not null and d.due_at > at, is_meanwhile
      from unnest(p_kinds, p_subjects, p_due, p_lanes) as d(kind, subject, due_at, lane)
    on conflict (organisation_id, kind, subject) do update
      set lane = excluded.lane, due_at = excluded.due_at, ripe = excluded.ripe, held = excluded.held, meanwhile = excluded.meanwhile,
          attempts = 0, lease_token = null, lease_until = null, parked_at = null, last_error = null
    returning due_at)
  select min(due_at) into earliest from put;
  -- Commits that notify wait for each other, so one of those under way does it for all: who is woken claims until nothing is left.
  if earliest <= at and pg_try_advisory_xact_lock(hashtext('tefo wake')) then perform pg_notify('tefo_due_work', ''); end if;
end $$;
