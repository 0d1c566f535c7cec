-- The memberships of a user, oldest first, with the organisations. `role_name` and `permissions` are those of a role that the
-- organisation has made, null for a built-in one.
create or replace function memberships_of(p_user text)
returns table (
  member_id text, email text, name text, role text, role_name text, permissions text[], tour_ended boolean, organisation jsonb
)
language plpgsql stable security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  member record;
begin
  for member in
    select m.organisation_id, m.id, m.email, m.name, m.role, m.tour_ended_at is not null as tour_ended
      from members m where m.user_id = p_user order by m.created_at, m.id
  loop
    return query
      select member.id, member.email, member.name, member.role, r.name, r.permissions, member.tour_ended, to_jsonb(o)
        from organisations o left join roles r on r.organisation_id = member.organisation_id and r.id = member.role
       where o.id = member.organisation_id;
  end loop;
end $$;
alter function memberships_of owner to tefo_gate;
