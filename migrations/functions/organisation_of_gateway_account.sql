-- By the account that a notification's URL names: at most one.
create or replace function organisation_of_gateway_account(p_id text) returns setof organisations
language plpgsql stable security definer set search_path = public, pg_temp as $$
declare
  tenant text;
begin
  for tenant in select g.organisation_id from gateway_accounts g where g.id = p_id loop
    return query select * from organisations o where o.id = tenant;
  end loop;
end $$;
alter function organisation_of_gateway_account owner to tefo_gate;
