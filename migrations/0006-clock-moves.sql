-- A move of the clock tells what it asks for itself from what requests ask for meanwhile: only its own has to be done before it goes on.

/**
 * Asks for work, due by the organisation's clock; asked again before it is done, its time is replaced and its attempts begin anew. What is
 * due at once is held (the move does it) when the move itself asks, in a transaction with `app.moves_clock`.
 */
create or replace function enqueue_due_work(p_kind text, p_subject text, p_due timestamptz, p_lane text default null) returns void
language plpgsql as $$
declare
  clock timestamptz;
  is_due boolean;
begin
  select clock_at into clock from organisations where id = app_organisation();
  if clock is not null then
    -- A move of the clock waits for what is being asked for now, rather than pass it by.
    select clock_at into clock from organisations where id = app_organisation() for share;
  end if;
  is_due := p_due <= coalesce(clock, clock_timestamp());
  insert into due_work as w (organisation_id, kind, subject, lane, due_at, ripe, held)
  values (app_organisation(), p_kind, p_subject, coalesce(p_lane, p_kind), p_due, is_due,
          clock is not null and (not is_due or coalesce(current_setting('app.moves_clock', true), '') = 'on'))
  on conflict (organisation_id, kind, subject) do update
    set lane = excluded.lane, due_at = excluded.due_at, ripe = excluded.ripe, held = excluded.held, attempts = 0, lease_token = null,
        lease_until = null, parked_at = null, last_error = null;
  -- Commits that notify wait for each other, so one of those under way does it for all: who is woken claims until nothing is left.
  if is_due and pg_try_advisory_xact_lock(hashtext('tefo wake')) then perform pg_notify('tefo_due_work', ''); end if;
end $$;
