-- Counts the requests of each caller, who are different, then finds their keys, and counts those whose secret is right. Answers the counts
-- after the last of them; `key_requests` counts those within the limit of the network alone. Rows of rate_windows are locked in the order
-- of their scopes, addresses before keys, so that batches never deadlock. A request that comes alone, as most do, takes plain look-ups.
create or replace function admit_requests(p_addresses text[], p_limit integer, p_prefixes text[], p_hashes bytea[], p_requests integer[], p_window bigint)
returns table (n bigint, address_requests bigint, key_id text, secret_hash bytea, permissions text[], scopes text[], expires_at timestamptz, allowed_addresses text[],
  is_strict boolean, key_requests bigint,
  id text, slug text, name text, plan text, state text, trial_ends_at timestamptz, sandbox boolean, clock_at timestamptz, limits jsonb,
  rate_limit integer, token_key_sealed text, created_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  tenant text;
  within bigint;
  requests bigint[];
  proved text[];
  uses bigint[];
begin
  if cardinality(p_addresses) = 1 then
    -- The row is there nearly always, and an update costs less than an insert that finds a conflict.
    update rate_windows w
       set window_start = p_window, count = case when w.window_start = p_window then w.count + p_requests[1] else p_requests[1] end
     where w.scope = 'ip:' || p_addresses[1] returning w.count into address_requests;
    if not found then
      insert into rate_windows as w (scope, window_start, count) values ('ip:' || p_addresses[1], p_window, p_requests[1])
      on conflict (scope) do update set window_start = excluded.window_start,
        count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
      returning count into address_requests;
    end if;
    within := least(p_requests[1], p_limit - (address_requests - p_requests[1]));
    if p_prefixes[1] is not null and within > 0 then
      select k.id, k.secret_hash, k.permissions, k.scopes, k.expires_at, k.allowed_addresses, k.strict, k.organisation_id
        into key_id, secret_hash, permissions, scopes, expires_at, allowed_addresses, is_strict, tenant
        from api_keys k where k.prefix = p_prefixes[1] and k.revoked_at is null;
    end if;
    if secret_hash = p_hashes[1] then
      update rate_windows w set window_start = p_window, count = case when w.window_start = p_window then w.count + within else within end
       where w.scope = 'key:' || key_id returning w.count into key_requests;
      if not found then
        insert into rate_windows as w (scope, window_start, count) values ('key:' || key_id, p_window, within)
        on conflict (scope) do update set window_start = excluded.window_start,
          count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
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
    select 'ip:' || a.address, p_window, sum(a.requests)
      from unnest(p_addresses, p_requests) as a(address, requests) group by a.address order by 1
    on conflict (scope) do update set window_start = excluded.window_start,
      count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
    returning scope, count)
  select array_agg(c.requests order by c.n) into requests
    from (select a.n, w.count - sum(a.requests) over (partition by a.address)
                 + sum(a.requests) over (partition by a.address order by a.n) as requests
            from unnest(p_addresses, p_requests) with ordinality as a(address, requests, n)
            join addresses w on w.scope = 'ip:' || a.address) c;

  select array_agg(k.id order by a.n) into proved
    from unnest(p_prefixes, p_hashes, p_requests, requests) with ordinality as a(prefix, hash, requests, counted, n)
    left join api_keys k on k.prefix = a.prefix and k.secret_hash = a.hash and k.revoked_at is null
     and a.counted - a.requests < p_limit;

  with callers as (
    select c.id, c.n, least(c.requests, p_limit - (c.counted - c.requests)) as within
      from unnest(proved, p_requests, requests) with ordinality as c(id, requests, counted, n)),
  keys as (
    insert into rate_windows as w (scope, window_start, count)
    select 'key:' || c.id, p_window, sum(c.within) from callers c where c.id is not null group by c.id order by 1
    on conflict (scope) do update set window_start = excluded.window_start,
      count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
    returning scope, count)
  select array_agg(u.uses order by u.n) into uses
    from (select c.n, w.count - sum(c.within) over (partition by c.id) + sum(c.within) over (partition by c.id order by c.n) as uses
            from callers c left join keys w on w.scope = 'key:' || c.id) u;

  return query
    with known as materialized (
      select a.n, a.counted, a.uses, k.id as key, k.secret_hash as stored, k.permissions as granted, k.scopes as scoped, k.expires_at as ends,
             k.allowed_addresses as allowed, k.strict as refuses, k.organisation_id as owner
        from unnest(p_prefixes, p_requests, requests, uses) with ordinality as a(prefix, requests, counted, uses, n)
        left join api_keys k on k.prefix = a.prefix and k.revoked_at is null and a.counted - a.requests < p_limit)
    select k.n, k.counted, k.key, k.stored, k.granted, k.scoped, k.ends, k.allowed, k.refuses, k.uses,
           o.id, o.slug, o.name, o.plan, o.state, o.trial_ends_at, o.sandbox, o.clock_at, o.limits, o.rate_limit, o.token_key_sealed, o.created_at
      from known k left join organisations o on o.id = k.owner
     order by k.n;
end $$;
alter function admit_requests owner to tefo_gate;
