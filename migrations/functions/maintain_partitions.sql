-- Makes the partitions that the next weeks need and drops those past retention. Runs as the owner of the tables; the service may call it
-- and nothing else of the kind.
-- They exist from the day before on: in the first ten minutes of a day a key is claimed for the day before, too, and a machine whose clock
-- is a little behind writes into it.
create or replace function maintain_partitions(at timestamptz) returns void language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  month timestamptz;
  day timestamptz;
  old record;
begin
  perform pg_advisory_xact_lock(hashtext('tefo partitions'));
  for i in 0..3 loop
    month := date_trunc('month', at - interval '1 day', 'UTC') + make_interval(months => i);
    perform add_partition(p.parent, p.parent || '_' || to_char(month at time zone 'UTC', 'YYYYMM'),
      first_id_at(p.prefix, month), first_id_at(p.prefix, (month at time zone 'UTC' + interval '1 month') at time zone 'UTC'))
      from (values ('events', 'evt'), ('webhook_deliveries', 'whd'), ('audit_log', 'aud')) p(parent, prefix);
  end loop;
  for i in -1..7 loop
    day := date_trunc('day', at, 'UTC') + make_interval(days => i);
    perform add_partition('idempotency_keys', 'idempotency_keys_' || to_char(day at time zone 'UTC', 'YYYYMMDD'),
      day::text, (day + interval '1 day')::text);
    perform add_partition('request_log', 'request_log_' || to_char(day at time zone 'UTC', 'YYYYMMDD'),
      first_id_at('req', day), first_id_at('req', day + interval '1 day'));
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where (p.relname in ('events', 'webhook_deliveries') and right(c.relname, 6) ~ '^\d{6}$'
              and right(c.relname, 6) < to_char(at - interval '13 months', 'YYYYMM'))
        or (p.relname = 'audit_log' and right(c.relname, 6) < to_char(at - interval '61 months', 'YYYYMM'))
        or (p.relname = 'idempotency_keys' and right(c.relname, 8) < to_char(at - interval '2 days', 'YYYYMMDD'))
        or (p.relname = 'request_log' and right(c.relname, 8) < to_char(at - interval '30 days', 'YYYYMMDD'))
  loop
    execute format('drop table %I', old.relname);
  end loop;
end $$;
revoke execute on function maintain_partitions from public;
grant execute on function maintain_partitions to tefo_app;

-- Those of today, before anything is written.
select maintain_partitions(clock_timestamp());
