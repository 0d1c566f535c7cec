-- VAT rates by day (interface 14.2, `vatRates`): the standard rate of each organisation from each day on, and whether it is registered then. It
-- follows from its settings, and is written with them, so that prices are read with their rates in one statement.
alter table organisation_settings add column vat_timeline jsonb not null default '[{"from": null, "rate": "15", "registered": true}]';
-- When rates or registration were changed last: bills from before were made by other rates, which `verify` does not know.
alter table organisation_settings add column vat_changed_at timestamptz;
-- Whoever migrates reads and fills the rows of every organisation, also as an owner that row level security holds.
alter table organisation_settings no force row level security;
alter table products no force row level security;
alter table plan_versions no force row level security;
update organisation_settings
   set vat_timeline = jsonb_build_array(jsonb_build_object('from', null, 'rate', trim_scale((settings ->> 'vatRate')::numeric)::text, 'registered', true))
 where settings ? 'vatRate';

-- Whether a price follows the standard rate; else `tax_rate` is its own. Until now a price that gave no rate took the standard rate when it was
-- made, and did not say so: those at the present standard rate follow it from now on.
alter table products add column standard_rate boolean not null default false;
alter table plan_versions add column standard_rate boolean not null default false;
do $$
declare tenant text; standard numeric;
begin
  for tenant, standard in select organisation_id, (vat_timeline -> 0 ->> 'rate')::numeric from organisation_settings order by organisation_id loop
    update products set standard_rate = true where organisation_id = tenant and not tax_exempt and tax_rate > 0 and tax_rate = standard;
    update plan_versions set standard_rate = true where organisation_id = tenant and not tax_exempt and tax_rate > 0 and tax_rate = standard;
  end loop;
end $$;
alter table organisation_settings force row level security;
alter table products force row level security;
alter table plan_versions force row level security;
alter table products add constraint products_standard_rate check (not (standard_rate and tax_exempt)) not valid;
alter table plan_versions add constraint plan_versions_standard_rate check (not (standard_rate and tax_exempt)) not valid;
