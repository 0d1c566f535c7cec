-- Counts one request in a fixed window and answers the count. Never durable, shared by all processes.
create or replace function count_request(p_scope text, p_window bigint) returns integer language plpgsql as $$
declare
  counted integer;
begin
  insert into rate_windows as w (scope, window_start, count) values (p_scope, p_window, 1)
  on conflict (scope) do update set window_start = excluded.window_start,
    count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end
  returning count into counted;
  return counted;
end $$;
