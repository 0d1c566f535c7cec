-- What looks at all organisations lists first and then acts on one organisation a statement, and compares the tenant with a variable: a
-- distributed PostgreSQL sends such a statement to the one node that holds the organisation.

-- Whoever claims due work locks this row: one claim after the other, on whatever node it runs. An advisory lock belongs to one node.
create table claim_turns (
  name text collate "C" primary key
);
insert into claim_turns (name) values ('due work');
grant select, update on claim_turns to tefo_gate;

/**
 * Leases due work. Lanes are visited in turn, beginning after the given one, so that none waits for another's backlog, and each
 * gives at most its room: of p_rooms that of "organisation lane", else that of "lane", else p_room. Of a kind at most its number in
 * p_kinds is leased, by lot. `reached` is where the next claim begins; null when every lane was visited. One process at a time works
 * a lane, in order of due time. An organisation whose clock is set has due what its own clock has passed, and nothing while its clock
 * is being moved. Locks the row of claim_turns, then the leased work. The commit is not waited for: a lease that a crash of the
 * database undoes was never had.
 */
create or replace function claim_due_work(p_after_organisation text, p_after_lane text, p_limit integer, p_room integer, p_rooms jsonb,
  p_kinds jsonb, p_lease_seconds integer, p_token text)
returns table (organisation_id text, kind text, subject text, lane text, due_at timestamptz, attempts integer, organisation jsonb,
  reached_organisation text, reached_lane text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  at timestamptz := clock_timestamp();
  after_organisation text := p_after_organisation;
  after_lane text := p_after_lane;
  share record;
  all_tenants text[] := '{}';
  all_lanes text[] := '{}';
  all_kinds text[] := '{}';
  all_subjects text[] := '{}';
  all_due timestamptz[] := '{}';
begin
  perform from due_work w where w.ripe and w.parked_at is null limit 1;
  if not found then
    perform from due_work w where not w.ripe and not w.held and w.parked_at is null and w.due_at <= at limit 1;
    if not found then return; end if;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  -- Two claims at once would each see a lane that nobody works.
  perform from claim_turns t where t.name = 'due work' for update;
  at := clock_timestamp();

  for share in
    select p.organisation_id, array_agg(p.kind) as kinds, array_agg(p.subject) as subjects
      from (select w.organisation_id, w.kind, w.subject from due_work w
             where not w.ripe and not w.held and w.parked_at is null and w.due_at <= at order by w.due_at limit 1000) p
     group by p.organisation_id order by p.organisation_id
  loop
    update due_work w set ripe = o.clock_at is null or w.due_at <= o.clock_at, held = o.clock_at is not null and w.due_at > o.clock_at
      from organisations o
     where o.id = share.organisation_id and w.organisation_id = share.organisation_id and (w.kind, w.subject) in (
       select d.kind, d.subject from due_work d join unnest(share.kinds, share.subjects) as p(kind, subject) using (kind, subject)
        where d.organisation_id = share.organisation_id and not d.ripe and not d.held and d.parked_at is null and d.due_at <= at
        for update of d skip locked);
  end loop;

  -- A page of lanes at a time: however long one is, it takes one page.
  while cardinality(all_subjects) < p_limit loop
    for share in
      select p.organisation_id, array_agg(distinct p.lane order by p.lane) as lanes
        from (select w.organisation_id, w.lane from due_work w
               where w.ripe and w.parked_at is null and (w.lease_until is null or w.lease_until < at)
                 and (w.organisation_id, w.lane) > (after_organisation, after_lane)
               order by w.organisation_id, w.lane limit 250) p
       group by p.organisation_id order by p.organisation_id
    loop
      exit when cardinality(all_subjects) >= p_limit;
      with picked as (
        select l.lane, w.kind, w.subject, w.due_at from unnest(share.lanes) as l(lane) cross join lateral (
          select d.kind, d.subject, d.due_at from due_work d
           where d.organisation_id = share.organisation_id and d.lane = l.lane and d.ripe and d.parked_at is null
             and (d.lease_until is null or d.lease_until < at)
           order by d.due_at, d.subject
           limit coalesce((p_rooms ->> (share.organisation_id || ' ' || l.lane))::integer, (p_rooms ->> l.lane)::integer, p_room)
           for update skip locked) w
         where not exists (
           select from (select d.lease_until, d.lease_token from due_work d
                         where d.organisation_id = share.organisation_id and d.lane = l.lane and d.ripe and d.parked_at is null
                         order by d.due_at, d.subject limit 64) head
            where head.lease_until > at and head.lease_token <> p_token)
           and exists (select from organisations o
                        where o.id = share.organisation_id and (o.clock_moving_until is null or o.clock_moving_until < at))
         limit p_limit - cardinality(all_subjects))
      select all_tenants || array_agg(share.organisation_id), all_lanes || array_agg(p.lane), all_kinds || array_agg(p.kind),
             all_subjects || array_agg(p.subject), all_due || array_agg(p.due_at)
        into all_tenants, all_lanes, all_kinds, all_subjects, all_due from picked p;
      after_organisation := share.organisation_id;
      after_lane := share.lanes[cardinality(share.lanes)];
    end loop;
    exit when not found;
  end loop;

  if cardinality(all_subjects) >= p_limit then
    reached_organisation := all_tenants[cardinality(all_tenants)];
    reached_lane := all_lanes[cardinality(all_lanes)];
  end if;
  for share in
    select d.organisation_id, array_agg(d.kind) as kinds, array_agg(d.subject) as subjects
      from (select p.organisation_id, p.kind, p.subject,
                   row_number() over (partition by p.kind order by lots.lot, p.due_at, p.subject) as place
              from unnest(all_tenants, all_lanes, all_kinds, all_subjects, all_due) as p(organisation_id, lane, kind, subject, due_at)
              join (select q.organisation_id, q.lane, random() as lot from unnest(all_tenants, all_lanes) as q(organisation_id, lane)
                     group by q.organisation_id, q.lane) lots using (organisation_id, lane)) d
     where d.place <= coalesce((p_kinds ->> d.kind)::integer, p_limit)
     group by d.organisation_id order by d.organisation_id
  loop
    return query
      with leased as (
        update due_work d set attempts = d.attempts + 1, lease_token = p_token, lease_until = at + make_interval(secs => p_lease_seconds)
          from unnest(share.kinds, share.subjects) as p(kind, subject)
         where d.organisation_id = share.organisation_id and d.kind = p.kind and d.subject = p.subject
        returning d.kind, d.subject, d.lane, d.due_at, d.attempts)
      select o.id, l.kind, l.subject, l.lane, l.due_at, l.attempts, to_jsonb(o), reached_organisation, reached_lane
        from leased l cross join organisations o where o.id = share.organisation_id
       order by l.lane, l.due_at, l.subject;
  end loop;
end $$;

/** Renews leases of a process that is still at work, one organisation after the other. */
create or replace function renew_due_work(p_token text, p_organisations text[], p_kinds text[], p_subjects text[], p_lease_seconds integer)
returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  until timestamptz := clock_timestamp() + make_interval(secs => p_lease_seconds);
  held record;
begin
  for held in
    select w.organisation_id, array_agg(w.kind) as kinds, array_agg(w.subject) as subjects
      from unnest(p_organisations, p_kinds, p_subjects) as w(organisation_id, kind, subject) group by w.organisation_id order by 1
  loop
    update due_work d set lease_until = until from unnest(held.kinds, held.subjects) as w(kind, subject)
     where d.organisation_id = held.organisation_id and d.kind = w.kind and d.subject = w.subject and d.lease_token = p_token;
  end loop;
end $$;

/** For operators: depth, oldest, parked, per kind. */
create or replace function due_work_summary()
returns table (kind text, waiting bigint, due bigint, running bigint, parked bigint, oldest_due timestamptz)
language plpgsql stable security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  at timestamptz := clock_timestamp();
begin
  return query
    select w.kind, count(*) filter (where w.parked_at is null),
           count(*) filter (where w.parked_at is null and not w.held and w.due_at <= at),
           count(*) filter (where w.lease_until > at), count(*) filter (where w.parked_at is not null),
           min(w.due_at) filter (where w.parked_at is null and not w.held and w.due_at <= at)
      from due_work w group by w.kind order by w.kind;
end $$;

/** Asks for work, due by the organisation's clock; asked again before it is done, its time is replaced and its attempts begin anew. */
create or replace function enqueue_due_work(p_kind text, p_subject text, p_due timestamptz, p_lane text default null) returns void
language plpgsql as $$
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
    select clock_at, clock_moving_until into clock, moving_until from organisations where id = tenant for share;
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

/**
 * Lets in a batch of API requests: counts each address, then resolves each key and counts it when its secret is right. Requests past
 * p_limit of their address get no key. Rows of rate_windows are locked in the order of their scopes, addresses before keys, so that
 * batches never deadlock.
 */
create or replace function admit_requests(p_addresses text[], p_limit integer, p_prefixes text[], p_hashes bytea[], p_window bigint)
returns table (n bigint, address_requests bigint, key_id text, secret_hash bytea, permissions text[], key_requests bigint,
  id text, slug text, name text, plan text, state text, trial_ends_at timestamptz, sandbox boolean, clock_at timestamptz, limits jsonb,
  rate_limit integer, token_key_sealed text, created_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  requests bigint[];
  proved text[];
  uses bigint[];
begin
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

/** By the account that a notification's URL names: at most one. */
create or replace function organisation_of_gateway_account(p_id text) returns setof organisations
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  tenant text;
begin
  for tenant in select g.organisation_id from gateway_accounts g where g.id = p_id loop
    return query select * from organisations o where o.id = tenant;
  end loop;
end $$;

/** By the id of one of its API keys: at most one. */
create or replace function organisation_of_api_key(p_id text) returns setof organisations
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  tenant text;
begin
  for tenant in select k.organisation_id from api_keys k where k.id = p_id loop
    return query select * from organisations o where o.id = tenant;
  end loop;
end $$;

/** Where a user belongs, oldest membership first. */
create or replace function memberships_of(p_user text)
returns table (member_id text, email text, name text, role text, organisation jsonb)
language plpgsql stable security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  member record;
begin
  for member in
    select m.organisation_id, m.id, m.email, m.name, m.role from members m where m.user_id = p_user order by m.created_at, m.id
  loop
    return query
      select member.id, member.email, member.name, member.role, to_jsonb(o) from organisations o where o.id = member.organisation_id;
  end loop;
end $$;
