-- An Idempotency-Key is its row: inserted by the first statement of the request's transaction, given its reply by the last one. A second
-- request waits at the primary key, on whatever node the row is. Rows go by the UTC day in which the key was claimed (recorded_at, which
-- chooses the partition); rows of earlier releases hold the moment there, and no claimed_at.
alter table idempotency_keys add column claimed_at timestamptz;   -- machine time
alter table idempotency_keys alter column status drop not null;
alter table idempotency_keys alter column reply_sealed drop not null;

/**
 * Inserts the row of a key for its organisation, method and path; the reply follows by update. Waits for a transaction that has the key.
 * Fails with TEFO1 when the key was claimed in the 24 hours before p_at, machine time. The primary key holds for one day, and no request
 * takes ten minutes: in the first ten of a day the key is taken for the day before, too, so that it meets a request from before midnight.
 */
create function claim_idempotency_key(p_organisation text, p_key text, p_method text, p_path text, p_body_hash bytea, p_at timestamptz)
returns void language plpgsql as $$
declare
  today timestamptz := date_trunc('day', p_at, 'UTC');
  since timestamptz := p_at - interval '24 hours';
  day timestamptz;
begin
  -- With both bounds only the partitions of two days are looked into.
  if exists (select from idempotency_keys where organisation_id = p_organisation and key = p_key and method = p_method and path = p_path
              and recorded_at >= today - interval '1 day' and recorded_at < today + interval '1 day'
              and coalesce(claimed_at, recorded_at) > since) then
    raise exception 'stored' using errcode = 'TEFO1';
  end if;
  day := date_trunc('day', p_at - interval '10 minutes', 'UTC');
  loop
    insert into idempotency_keys as k (organisation_id, key, method, path, recorded_at, claimed_at, body_hash)
    values (p_organisation, p_key, p_method, p_path, day, p_at, p_body_hash)
    on conflict (organisation_id, key, method, path, recorded_at) do update
      set claimed_at = excluded.claimed_at, body_hash = excluded.body_hash, status = null, reply_sealed = null
      where k.claimed_at <= since;
    if not found then raise exception 'stored' using errcode = 'TEFO1'; end if;
    exit when day = today;
    day := today;
  end loop;
end $$;
