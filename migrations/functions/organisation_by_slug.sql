-- The organisation of a slug.
create or replace function organisation_by_slug(p_slug text) returns setof organisations
language sql stable security definer set search_path = public, pg_temp as
$$ select * from organisations where slug = p_slug $$;
alter function organisation_by_slug owner to tefo_gate;
