-- A key that is claimed again after its 24 hours is a new request: it meets nothing that an earlier request asked a gateway for.

/**
 * Inserts the row of a key for its organisation, method and path; the reply follows by update. Waits for a transaction that has the key.
 * Fails with TEFO1 when the key was claimed in the 24 hours before p_at, machine time. The primary key holds for one day, and no request
 * takes ten minutes: in the first ten of a day the key is taken for the day before, too, so that it meets a request from before midnight.
 * What was kept under an earlier claim is forgotten: its reply, and what a gateway was asked for.
 */
create or replace function claim_idempotency_key(p_organisation text, p_key text, p_method text, p_path text, p_body_hash bytea, p_at timestamptz)
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
      set claimed_at = excluded.claimed_at, body_hash = excluded.body_hash, status = null, reply_sealed = null,
        intent = null, intent_settled = false
      where k.claimed_at <= since;
    if not found then raise exception 'stored' using errcode = 'TEFO1'; end if;
    exit when day = today;
    day := today;
  end loop;
end $$;
