-- The first revision of each record that was there before. What has changed since the triggers were made has one already. The tenant is set
-- for each organisation, so that no table is locked meanwhile.
set local timezone = 'UTC';
do $$
declare
  tenant text;
  revised record;
begin
  for tenant in select id from all_organisations() order by id loop
    execute format('set local app.organisation_id = %L', tenant);
    for revised in select * from (values
      ('cards', '{token_sealed,last_used_at,updated_at}'::text[]),
      ('card_setups', '{}'),
      ('mandates', '{account_number_sealed,id_number_sealed,next_debit_date,last_debit_date,last_action_date,last_collected_at,updated_at}'),
      ('mandate_agreements', '{document}'),
      ('debit_batches', '{debits,amount_cents}'),
      ('gateway_subscriptions', '{handle_sealed,card_token_sealed,updated_at}'),
      ('subscription_migrations', '{}'),
      ('subscription_retries', '{}')) t(name, moving)
    loop
      execute format('
        insert into revisions (organisation_id, subject, number, facts)
        select $1, t.id, 0, to_jsonb(t) - ''organisation_id'' - ''id'' - $2 from %I t
         where t.organisation_id = $1 and not exists (select from revisions r where r.organisation_id = $1 and r.subject = t.id)
        on conflict do nothing', revised.name) using tenant, revised.moving;
    end loop;
  end loop;
end $$;
