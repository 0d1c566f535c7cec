-- Organisations of which connections have written sums that are to be folded.
create or replace function organisations_with_new_sums() returns setof text language sql stable security definer set search_path = public, pg_temp as $$
  select organisation_id from day_sums where slot > 0
  union select organisation_id from money_sums where slot > 0
$$;
alter function organisations_with_new_sums owner to tefo_gate;
revoke execute on function organisations_with_new_sums from public;
grant execute on function organisations_with_new_sums to tefo_app;
