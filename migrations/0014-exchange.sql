-- At which rate an invoice in another currency is reckoned in rand, which the VAT Act wants on it.

alter table invoices add column exchange_rate numeric check (exchange_rate > 0);  -- rand for one unit of the currency
alter table invoices add column exchange_date date;
alter table invoices add column exchange_source text;
-- It was made by itself (a renewal) while no rate was known: it gets the one that the settings are given next.
alter table invoices add column awaits_exchange boolean not null default false;
alter table invoices add constraint invoices_exchange check (
  (exchange_rate is null) = (exchange_date is null) and (exchange_rate is null) = (exchange_source is null)
  and (exchange_rate is null or (currency <> 'ZAR' and not awaits_exchange)));
create index invoices_awaiting_exchange on invoices (organisation_id, currency) where awaits_exchange;
