-- The periods of subscriptions that are billed elsewhere bear the name by which the code and the documents know them.
alter table recorded_periods rename to external_periods;
alter index recorded_periods_subscription rename to external_periods_subscription;
do $$
declare
  one record;
begin
  for one in select conname from pg_constraint where conrelid = 'external_periods'::regclass and conname like 'recorded\_periods\_%' loop
    execute format('alter table external_periods rename constraint %I to %I', one.conname, replace(one.conname, 'recorded_periods', 'external_periods'));
  end loop;
end $$;
