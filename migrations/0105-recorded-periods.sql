-- Periods of subscriptions that another platform bills, each with what the service would have billed for it.
create table recorded_periods (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rper\_%'),
  customer_subscription_id text collate "C" not null,
  status text collate "C" not null check (status in ('active', 'trialing', 'past_due')),
  period_start date not null,
  period_next date not null check (period_next > period_start),
  cycle integer not null check (cycle >= 0),    -- renewals recorded until then
  billed_cents bigint check (billed_cents >= 0), -- by the other platform, with VAT; null when it did not say
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  tax_inclusive boolean not null,
  lines jsonb not null,                          -- priced lines in the price's own terms, each with its reason
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, customer_subscription_id, period_start),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id)
);
create index recorded_periods_subscription on recorded_periods (organisation_id, customer_subscription_id, id);
alter table recorded_periods enable row level security;
alter table recorded_periods force row level security;
create policy tenant on recorded_periods using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on recorded_periods to tefo_app;
