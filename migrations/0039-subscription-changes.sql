-- Later charges that were missed, ever; and the subscription that took the place of this one.
alter table gateway_subscriptions add column missed_charges integer not null default 0 check (missed_charges >= 0);
alter table gateway_subscriptions add column replaced_by_id text collate "C";
alter table gateway_subscriptions add constraint gateway_subscriptions_replaced_by_fkey
  foreign key (organisation_id, replaced_by_id) references gateway_subscriptions (organisation_id, id);
create index gateway_subscriptions_replaced_by on gateway_subscriptions (organisation_id, replaced_by_id) where replaced_by_id is not null;

-- A link that was mailed for a subscription: a recurring one replaces it, any other collects a charge of it.
alter table payment_links add column gateway_subscription_id text collate "C";
alter table payment_links add constraint payment_links_gateway_subscription_fkey
  foreign key (organisation_id, gateway_subscription_id) references gateway_subscriptions (organisation_id, id);
create index payment_links_gateway_subscription on payment_links (organisation_id, gateway_subscription_id, id) where gateway_subscription_id is not null;

-- Collections of a subscription that were asked for by the merchant: by the stored card, or by a mailed link.
create table subscription_retries (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  gateway_subscription_id text collate "C" not null,
  missed_reference text collate "C",             -- of the missed charge; null: collected without one
  payment_link_id text collate "C",              -- null: by the stored card
  reference text collate "C",                    -- of the stored card's payment
  collected_reference text collate "C",          -- of the payment that collected it
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, gateway_subscription_id) references gateway_subscriptions (organisation_id, id),
  foreign key (organisation_id, payment_link_id) references payment_links (organisation_id, id),
  check ((payment_link_id is null) = (reference is not null))
);
create index subscription_retries_subscription on subscription_retries (organisation_id, gateway_subscription_id, id);
create unique index subscription_retries_link on subscription_retries (organisation_id, payment_link_id) where payment_link_id is not null;
alter table subscription_retries enable row level security;
alter table subscription_retries force row level security;
create policy tenant on subscription_retries using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on subscription_retries to tefo_app;
