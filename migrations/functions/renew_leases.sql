-- Renews leases. Leaves out rows that are locked: their work is being completed, or asked for anew, by who may wait for another row of this
-- statement.
create or replace function renew_leases(p_organisations text[], p_kinds text[], p_subjects text[], p_tokens text[], p_lease_seconds integer)
  returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  until timestamptz := clock_timestamp() + make_interval(secs => p_lease_seconds);
  held record;
begin
  for held in
    select w.organisation_id, array_agg(w.kind) as kinds, array_agg(w.subject) as subjects, array_agg(w.token) as tokens
      from unnest(p_organisations, p_kinds, p_subjects, p_tokens) as w(organisation_id, kind, subject, token) group by w.organisation_id order by 1
  loop
    with free as (
      select d.kind, d.subject
        from unnest(held.kinds, held.subjects, held.tokens) as w(kind, subject, token)
        join due_work d on d.organisation_id = held.organisation_id and d.kind = w.kind and d.subject = w.subject and d.lease_token = w.token
         for no key update of d skip locked)
    update due_work d set lease_until = until from free f
     where d.organisation_id = held.organisation_id and d.kind = f.kind and d.subject = f.subject;
  end loop;
end $$;
alter function renew_leases owner to tefo_gate;
