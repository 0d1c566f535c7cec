-- A process writes the requests of all organisations by one statement: one for each would be a transaction a second for every organisation that calls.
create policy gate on request_log for insert to tefo_gate with check (true);
grant insert on request_log to tefo_gate;

create function log_requests(p_organisations text[], p_ids text[], p_at timestamptz[], p_methods text[], p_paths text[], p_parameters text[],
  p_statuses smallint[], p_errors text[], p_durations integer[], p_keys text[], p_prefixes text[], p_idempotency text[]) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into request_log (organisation_id, id, at, method, path, parameters, status, error, duration_ms, key_id, key_prefix, idempotency)
  select * from unnest(p_organisations, p_ids, p_at, p_methods, p_paths, p_parameters, p_statuses, p_errors, p_durations, p_keys, p_prefixes,
    p_idempotency);
$$;

grant create on schema public to tefo_gate;
alter function log_requests owner to tefo_gate;
revoke create on schema public from tefo_gate;
revoke execute on function log_requests from public;
grant execute on function log_requests to tefo_app;
