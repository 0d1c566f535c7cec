-- What a subscription is worth a month while it runs, without VAT, and each change of that.
alter table customer_subscriptions add column mrr_cents bigint not null default 0;
create index customer_subscriptions_recurring on customer_subscriptions (organisation_id, id) where mrr_cents <> 0;
create table customer_subscription_movements (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'mrm\_%'),
  customer_subscription_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('new', 'expansion', 'contraction', 'churn', 'reactivation')),
  currency text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  happened_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id)
);
create index customer_subscription_movements_subscription on customer_subscription_movements (organisation_id, customer_subscription_id, id);
create index customer_subscription_movements_happened on customer_subscription_movements (organisation_id, happened_at);
alter table customer_subscription_movements enable row level security;
alter table customer_subscription_movements force row level security;
create policy tenant on customer_subscription_movements using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert on customer_subscription_movements to tefo_app;
