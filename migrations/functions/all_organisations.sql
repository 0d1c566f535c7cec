-- Every organisation, by id; for the worker and the command line.
create or replace function all_organisations() returns setof organisations
language sql stable security definer set search_path = public, pg_temp as
$$ select * from organisations order by id $$;
alter function all_organisations owner to tefo_gate;
