-- Where the credit of subscriptions came from: what was given, what bills made, and what another way of writing prices made of it. What bills used
-- stands on their lines.
create table customer_subscription_credits (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'cse\_%'),
  customer_subscription_id text collate "C" not null,
  credit_id text collate "C" not null,
  cause text collate "C" not null check (cause in ('given', 'billed', 'restated')),
  amount_cents bigint not null check (amount_cents <> 0), -- in the price's own terms
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id)
);
create index customer_subscription_credits_subscription on customer_subscription_credits (organisation_id, customer_subscription_id, id);
alter table customer_subscription_credits enable row level security;
alter table customer_subscription_credits force row level security;
create policy tenant on customer_subscription_credits using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert on customer_subscription_credits to tefo_app;
