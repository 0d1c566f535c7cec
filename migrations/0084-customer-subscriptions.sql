-- Customer subscriptions that the service bills, and every bill of theirs with the reason of each line.
create table customer_subscriptions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null check (status in ('scheduled', 'trialing', 'active', 'cancelled', 'expired')),
  customer_id text collate "C" not null,
  plan_id text collate "C" not null,
  plan_version_id text collate "C" not null,
  collection_method text collate "C" not null check (collection_method in ('invoice', 'manual')),
  external_reference text collate "C",
  metadata jsonb not null,
  state jsonb not null,                          -- what the planner knows of it: terms, period, credits
  next_due date,                                 -- when its next start, bill or end falls due by itself
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, external_reference),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, plan_id) references plans (organisation_id, id),
  foreign key (organisation_id, plan_version_id) references plan_versions (organisation_id, id)
);
create index customer_subscriptions_customer on customer_subscriptions (organisation_id, customer_id, id);
create index customer_subscriptions_plan on customer_subscriptions (organisation_id, plan_id, id);
alter table customer_subscriptions enable row level security;
alter table customer_subscriptions force row level security;
create policy tenant on customer_subscriptions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on customer_subscriptions to tefo_app;

create table customer_subscription_bills (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'csb\_%'),
  customer_subscription_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('first', 'cycle', 'proration')),
  cycle integer not null check (cycle >= 0),
  billed_on date not null,
  period_start date not null,
  period_next date not null check (period_next >= period_start),
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  lines jsonb not null,                          -- priced lines in the price's own terms, each with its reason
  invoice_id text collate "C",                   -- null when nothing was to pay
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, invoice_id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id)
);
-- A period is billed once.
create unique index customer_subscription_bills_period on customer_subscription_bills (organisation_id, customer_subscription_id, period_start, kind)
  where kind <> 'proration';
create index customer_subscription_bills_subscription on customer_subscription_bills (organisation_id, customer_subscription_id, id);
alter table customer_subscription_bills enable row level security;
alter table customer_subscription_bills force row level security;
create policy tenant on customer_subscription_bills using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
-- A bill never changes.
grant select, insert, delete on customer_subscription_bills to tefo_app;
