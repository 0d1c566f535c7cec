/**
 * Lets in a batch of API requests: counts each address, then resolves each key and counts it when its secret is right. Requests past
 * p_limit of their address get no key. Rows of rate_windows are locked in the order of their scopes, addresses before keys, so that
 * batches never deadlock. A request that comes alone, as most do, takes plain look-ups.
 */
create or replace function admit_requests(p_addresses text[], p_limit integer, p_prefixes text[], p_hashes bytea[], p_window bigint)
returns table (n bigint, address_requests bigint, key_id text, secret_hash bytea, permissions text[], key_requests bigint,
  id text, slug text, name text, plan text, state text, trial_ends_at timestamptz, sandbox boolean, clock_at timestamptz, limits jsonb,
  rate_limit integer, token_key_sealed text, created_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  tenant text;
  requests bigint[];
  proved text[];
  uses bigint[];
begin
  if cardinality(p_addresses) = 1 then
    -- The row is there nearly always, and an update costs less than an insert that finds a conflict.
    update rate_windows w set window_start = p_window, count = case when w.window_start = p_window then w.count + 1 else 1 end
     where w.scope = 'ip:' || p_addresses[1] returning w.count into address_requests;
    if not found then
      insert into rate_windows as w (scope, window_start, count) values ('ip:' || p_addresses[1], p_window, 1)
      on conflict (scope) do update set window_start = excluded.window_start,
        count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end
      returning count into address_requests;
    end if;
    if p_prefixes[1] is not null and address_requests <= p_limit then
      select k.id, k.secret_hash, k.permissions, k.organisation_id into key_id, secret_hash, permissions, tenant
        from api_keys k where k.prefix = p_prefixes[1] and k.revoked_at is null;
    end if;
    if secret_hash = p_hashes[1] then
      update rate_windows w set window_start = p_window, count = case when w.window_start = p_window then w.count + 1 else 1 end
       where w.scope = 'key:' || key_id returning w.count into key_requests;
      if not found then
        insert into rate_windows as w (scope, window_start, count) values ('key:' || key_id, p_window, 1)
        on conflict (scope) do update set window_start = excluded.window_start,
          count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end
        returning count into key_requests;
      end if;
    end if;
    if tenant is not null then
      select o.id, o.slug, o.name, o.plan, o.state, o.trial_ends_at, o.sandbox, o.clock_at, o.limits, o.rate_limit, o.token_key_sealed, o.created_at
        into id, slug, name, plan, state, trial_ends_at, sandbox, clock_at, limits, rate_limit, token_key_sealed, created_at
        from organisations o where o.id = tenant;
    end if;
    n := 1;
    return next;
    return;
  end if;

  with addresses as (
    insert into rate_windows as w (scope, window_start, count)
    select 'ip:' || a.address, p_window, count(*) from unnest(p_addresses) as a(address) group by a.address order by 1
    on conflict (scope) do update set window_start = excluded.window_start,
      count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
    returning scope, count)
  select array_agg(c.requests order by c.n) into requests
    from (select a.n, w.count - count(*) over (partition by a.address) + row_number() over (partition by a.address order by a.n) as requests
            from unnest(p_addresses) with ordinality as a(address, n) join addresses w on w.scope = 'ip:' || a.address) c;

  select array_agg(k.id order by a.n) into proved
    from unnest(p_prefixes, p_hashes, requests) with ordinality as a(prefix, hash, requests, n)
    left join api_keys k on k.prefix = a.prefix and k.secret_hash = a.hash and k.revoked_at is null and a.requests <= p_limit;

  with keys as (
    insert into rate_windows as w (scope, window_start, count)
    select 'key:' || k.id, p_window, count(*) from unnest(proved) as k(id) where k.id is not null group by k.id order by 1
    on conflict (scope) do update set window_start = excluded.window_start,
      count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
    returning scope, count)
  select array_agg(c.uses order by c.n) into uses
    from (select k.n, w.count - count(*) over (partition by k.id) + row_number() over (partition by k.id order by k.n) as uses
            from unnest(proved) with ordinality as k(id, n) left join keys w on w.scope = 'key:' || k.id) c;

  return query
    with known as materialized (
      select a.n, a.requests, a.uses, k.id as key, k.secret_hash as stored, k.permissions as granted, k.organisation_id as owner
        from unnest(p_prefixes, requests, uses) with ordinality as a(prefix, requests, uses, n)
        left join api_keys k on k.prefix = a.prefix and k.revoked_at is null and a.requests <= p_limit)
    select k.n, k.requests, k.key, k.stored, k.granted, k.uses,
           o.id, o.slug, o.name, o.plan, o.state, o.trial_ends_at, o.sandbox, o.clock_at, o.limits, o.rate_limit, o.token_key_sealed, o.created_at
      from known k left join organisations o on o.id = k.owner
     order by k.n;
end $$;

/**
 * Asks for work, due by the organisation's clock: pieces of different kinds and subjects, in the order in which everybody locks them. Asked
 * for again before it is done, a piece gets the new time, and its attempts begin anew.
 */
create function enqueue_due_works(p_organisation text, p_kinds text[], p_subjects text[], p_due timestamptz[], p_lanes text[])
returns void language plpgsql as $$
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
    select clock_at, clock_moving_until into clock, moving_until from organisations where id = p_organisation for share;
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
