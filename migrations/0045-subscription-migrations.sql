-- Card subscriptions that are brought over from elsewhere: each a subscription that waits for its payer to confirm the card.
create table subscription_migrations (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  legacy_reference text collate "C" not null,
  payer_name text not null,
  email text not null,
  next_date date not null,
  status text collate "C" not null check (status in ('link_sent', 'authorised', 'legacy_cancelled', 'cancelled')),
  cancels_legacy boolean not null,               -- by the service, once it is authorised
  gateway_subscription_id text collate "C" not null,
  customer_id text collate "C" not null,
  card_setup_id text collate "C" not null,       -- the page on which the payer confirms the card
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, legacy_reference),
  foreign key (organisation_id, gateway_subscription_id) references gateway_subscriptions (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, card_setup_id) references card_setups (organisation_id, id)
);
create unique index subscription_migrations_subscription on subscription_migrations (organisation_id, gateway_subscription_id);
create unique index subscription_migrations_setup on subscription_migrations (organisation_id, card_setup_id);
create index subscription_migrations_customer on subscription_migrations (organisation_id, customer_id);
alter table subscription_migrations enable row level security;
alter table subscription_migrations force row level security;
create policy tenant on subscription_migrations using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on subscription_migrations to tefo_app;
