-- When a customer subscription was paused or cancelled, of which trial's end its payer was told, and where a period's end was moved to.
alter table customer_subscriptions add column paused_at timestamptz;
alter table customer_subscriptions add constraint customer_subscriptions_paused_check check ((status = 'paused') = (paused_at is not null));
alter table customer_subscriptions add column cancelled_at timestamptz;
alter table customer_subscriptions add constraint customer_subscriptions_cancelled_check check ((status = 'cancelled') = (cancelled_at is not null));
alter table customer_subscriptions add column cancel_reason text collate "C";
alter table customer_subscriptions add column trial_noticed_for date;

create table customer_subscription_moves (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'csm\_%'),
  customer_subscription_id text collate "C" not null,
  cycle integer not null check (cycle > 0),       -- of the bill whose period it is
  ended_on date not null,                        -- the day after the period's last, before
  ends_on date not null check (ends_on <> ended_on),
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id)
);
create index customer_subscription_moves_subscription on customer_subscription_moves (organisation_id, customer_subscription_id, cycle, id);
alter table customer_subscription_moves enable row level security;
alter table customer_subscription_moves force row level security;
create policy tenant on customer_subscription_moves using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, delete on customer_subscription_moves to tefo_app;
