-- Writes the request log of all organisations. A node of a distributed PostgreSQL inserts by COPY what is selected from no table, which row
-- level security refuses, unless the statement returns something or says what a conflict does. The gate may read no request, so that it can
-- return none.
create or replace function log_requests(p_organisations text[], p_ids text[], p_at timestamptz[], p_methods text[], p_paths text[], p_parameters text[],
  p_statuses smallint[], p_errors text[], p_durations integer[], p_keys text[], p_prefixes text[], p_idempotency text[],
  p_request_bodies text[], p_response_bodies text[])
returns void language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into request_log (organisation_id, id, at, method, path, parameters, status, error, duration_ms, key_id, key_prefix, idempotency,
    request_body, response_body)
  select * from unnest(p_organisations, p_ids, p_at, p_methods, p_paths, p_parameters, p_statuses, p_errors, p_durations, p_keys, p_prefixes,
    p_idempotency, p_request_bodies, p_response_bodies)
  on conflict do nothing;
end $$;
alter function log_requests owner to tefo_gate;
revoke execute on function log_requests from public;
grant execute on function log_requests to tefo_app;
