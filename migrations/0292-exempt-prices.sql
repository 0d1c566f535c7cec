-- Products and plans that are exempt from VAT, and payments of them without an invoice, which keep what their product was when they were made.
alter table products add column tax_exempt boolean not null default false;
alter table products add constraint products_tax_exempt check (not tax_exempt or tax_rate = 0) not valid;
alter table plan_versions add column tax_exempt boolean not null default false;
alter table plan_versions add constraint plan_versions_tax_exempt check (not tax_exempt or tax_rate = 0) not valid;
alter table checkout_payments add column tax_exempt boolean not null default false;
alter table checkout_payments add constraint checkout_payments_tax_exempt check (not tax_exempt or tax_cents is null) not valid;
alter table transactions add column tax_exempt boolean not null default false;
