-- The words of customers that were there before. The tenant is set for each organisation, so that no table is locked meanwhile.
do $$
declare
  tenant text;
begin
  for tenant in select id from all_organisations() order by id loop
    execute format('set local app.organisation_id = %L', tenant);
    insert into customer_words (organisation_id, customer_id, word)
    select c.organisation_id, c.id, w.word from customers c
     cross join lateral search_words(array[c.first_name, c.last_name, c.company, c.email, c.external_reference, c.account_code]) w(word)
     where c.organisation_id = tenant
    on conflict do nothing;
  end loop;
end $$;
