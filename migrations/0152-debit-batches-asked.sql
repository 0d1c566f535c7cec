-- When the gateway was asked to take a batch. One that was closed by a release before may have been asked for.
alter table debit_batches add column asked_at timestamptz;
do $$
declare
  tenant text;
begin
  for tenant in select id from all_organisations() order by id loop
    execute format('set local app.organisation_id = %L', tenant);
    update debit_batches set asked_at = created_at where organisation_id = tenant and status = 'submitting';
  end loop;
end $$;
select keep_revisions('debit_batches', '{debits,amount_cents}');
