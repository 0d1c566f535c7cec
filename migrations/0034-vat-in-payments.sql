-- What a link or a mandate states of the VAT that its amount includes: a rate in percent, or that it is exempt. Null and false: its product
-- or the settings decide.
alter table payment_links add column tax_rate numeric;
alter table payment_links add column tax_exempt boolean not null default false;
alter table payment_links add constraint payment_links_tax_check
  check (tax_rate is null or tax_rate between 0 and 100 and not tax_exempt) not valid;
alter table payment_links validate constraint payment_links_tax_check;
alter table mandates add column tax_rate numeric;
alter table mandates add column tax_exempt boolean not null default false;
alter table mandates add constraint mandates_tax_check
  check (tax_rate is null or tax_rate between 0 and 100 and not tax_exempt) not valid;
alter table mandates validate constraint mandates_tax_check;
