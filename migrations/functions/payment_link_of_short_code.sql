-- Which payment link a short address opens, and whose it is: at most one.
create or replace function payment_link_of_short_code(p_code text) returns table (organisation_id text, id text)
language plpgsql stable security definer set search_path = public, pg_temp as $$
begin
  return query select l.organisation_id, l.id from payment_links l where l.short_code = p_code;
end $$;
alter function payment_link_of_short_code owner to tefo_gate;
