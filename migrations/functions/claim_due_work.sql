-- Leases due work. Lanes are visited in turn, beginning after the given one, so that none waits for another's backlog, and each gives at
-- most its room: of p_rooms that of "organisation lane", else that of "lane", else p_room. Of a kind at most its number in p_kinds is
-- leased, by lot. `reached` is where the next claim begins; null when every lane was visited.
-- One process at a time works a lane, in order of due time. A claim's token begins with the name of its process: work that a process leases
-- again after it has lost the lease is not ended by its first run. An organisation whose clock is set has due what its own clock has
-- passed, and nothing while its clock is being moved.
-- Plans are made without scans of a whole table, because a connection keeps them: due_work that was analysed while it was empty would be
-- scanned by every claim until it is analysed again.
-- Locks the row of claim_turns, then the leased work. The commit is not waited for: a lease that a crash of the database undoes was never
-- had.
create or replace function claim_due_work(p_after_organisation text, p_after_lane text, p_limit integer, p_room integer, p_rooms jsonb, p_kinds jsonb, p_lease_seconds integer, p_token text)
  returns table(organisation_id text, kind text, subject text, lane text, due_at timestamp with time zone, attempts integer, organisation jsonb, reached_organisation text, reached_lane text)
language plpgsql
 security definer
 set search_path to 'public', 'pg_temp'
 set enable_seqscan to 'off' as $$
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
  perform from due_work w where w.is_due and w.parked_at is null limit 1;
  if not found then
    perform from due_work w where not w.is_due and not w.waits_for_clock and w.parked_at is null and w.due_at <= at limit 1;
    if not found then return; end if;
  end if;
  perform set_config('synchronous_commit', 'off', true);
  -- Two claims at once would each see a lane that nobody works.
  perform from claim_turns t where t.name = 'due work' for update;
  at := clock_timestamp();

  for share in
    select p.organisation_id, array_agg(p.kind) as kinds, array_agg(p.subject) as subjects
      from (select w.organisation_id, w.kind, w.subject from due_work w
             where not w.is_due and not w.waits_for_clock and w.parked_at is null and w.due_at <= at order by w.due_at limit 1000) p
     group by p.organisation_id order by p.organisation_id
  loop
    update due_work w set is_due = o.clock_at is null or w.due_at <= o.clock_at, waits_for_clock = o.clock_at is not null and w.due_at > o.clock_at
      from organisations o
     where o.id = share.organisation_id and w.organisation_id = share.organisation_id and (w.kind, w.subject) in (
       select d.kind, d.subject from due_work d join unnest(share.kinds, share.subjects) as p(kind, subject) using (kind, subject)
        where d.organisation_id = share.organisation_id and not d.is_due and not d.waits_for_clock and d.parked_at is null and d.due_at <= at
        for update of d skip locked);
  end loop;

  -- A page of lanes at a time: however long one is, it takes one page.
  while cardinality(all_subjects) < p_limit loop
    for share in
      select p.organisation_id, array_agg(distinct p.lane order by p.lane) as lanes
        from (select w.organisation_id, w.lane from due_work w
               where w.is_due and w.parked_at is null and (w.lease_until is null or w.lease_until < at)
                 and (w.organisation_id, w.lane) > (after_organisation, after_lane)
               order by w.organisation_id, w.lane limit 250) p
       group by p.organisation_id order by p.organisation_id
    loop
      exit when cardinality(all_subjects) >= p_limit;
      with picked as (
        select l.lane, w.kind, w.subject, w.due_at from unnest(share.lanes) as l(lane) cross join lateral (
          select d.kind, d.subject, d.due_at from due_work d
           where d.organisation_id = share.organisation_id and d.lane = l.lane and d.is_due and d.parked_at is null
             and (d.lease_until is null or d.lease_until < at)
           order by d.due_at, d.subject
           limit coalesce((p_rooms ->> (share.organisation_id || ' ' || l.lane))::integer, (p_rooms ->> l.lane)::integer, p_room)
           for update skip locked) w
         where not exists (
           select from (select d.lease_until, d.lease_token from due_work d
                         where d.organisation_id = share.organisation_id and d.lane = l.lane and d.is_due and d.parked_at is null
                         order by d.due_at, d.subject limit 64) head
            where head.lease_until > at and split_part(head.lease_token, ':', 1) <> split_part(p_token, ':', 1))
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
alter function claim_due_work owner to tefo_gate;
