-- A migration makes a customer subscription, which the service charges (interface 4.7). One that was begun before keeps the subscription that its
-- gateway runs, whose row has the terms.
alter table subscription_migrations add column customer_subscription_id text collate "C";
alter table subscription_migrations add column amount_cents bigint;
alter table subscription_migrations add column frequency text collate "C";
alter table subscription_migrations alter column gateway_subscription_id drop not null;
alter table subscription_migrations add constraint subscription_migrations_subscription_check
  check (num_nonnulls(customer_subscription_id, gateway_subscription_id) = 1) not valid;
alter table subscription_migrations add constraint subscription_migrations_terms_check
  check (customer_subscription_id is null or (amount_cents is not null and frequency is not null)) not valid;
alter table subscription_migrations add constraint subscription_migrations_amount_cents_check check (amount_cents > 0) not valid;
alter table subscription_migrations add constraint subscription_migrations_frequency_check
  check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')) not valid;
alter table subscription_migrations add foreign key (organisation_id, customer_subscription_id)
  references customer_subscriptions (organisation_id, id) not valid;
create unique index subscription_migrations_customer_subscription on subscription_migrations (organisation_id, customer_subscription_id);
select keep_revisions('subscription_migrations', '{}');
