-- By the id of one of its API keys: at most one.
create or replace function organisation_of_api_key(p_id text) returns setof organisations
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  tenant text;
begin
  for tenant in select k.organisation_id from api_keys k where k.id = p_id loop
    return query select * from organisations o where o.id = tenant;
  end loop;
end $$;
alter function organisation_of_api_key owner to tefo_gate;
