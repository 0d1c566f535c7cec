-- The tables that a snapshot of an organisation holds, with their columns: all of organisations but those of access, of what was done, of
-- machine time, and of what rewinds have taken back.
create or replace function snapshot_tables() returns table (name text, columns text) language sql stable
  set search_path = public, pg_temp as $$
  select c.relname::text, string_agg(quote_ident(a.attname), ', ' order by a.attnum)
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'organisation_id' and not o.attisdropped)
     and c.relname <> all ('{api_keys,members,invitations,roles,audit_log,request_log,idempotency_keys,lock_slots,event_resumptions,clock_snapshots,clock_snapshot_rows}')
   group by c.relname order by c.relname
$$;
