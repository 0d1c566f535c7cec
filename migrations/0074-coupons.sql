-- Coupons, and who has redeemed them.
create table coupons (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  code text not null,
  name text,
  percent numeric check (percent > 0 and percent <= 100),
  amount_cents bigint check (amount_cents > 0),
  currency text not null,
  duration text collate "C" not null check (duration in ('first', 'cycles', 'every')),
  cycles integer check (cycles > 0),
  starts_on date,
  ends_on date check (ends_on >= starts_on),
  max_redemptions integer check (max_redemptions > 0),
  max_redemptions_per_customer integer check (max_redemptions_per_customer > 0),
  redemptions integer not null check (redemptions >= 0),    -- of coupon_redemptions, those that were not given back
  plan_ids text[] collate "C" not null,                     -- this and the next empty: for everything sold
  product_ids text[] collate "C" not null,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  check ((percent is null) <> (amount_cents is null)),
  check ((duration = 'cycles') = (cycles is not null))
);
create unique index coupons_code on coupons (organisation_id, lower(code));
alter table coupons enable row level security;
alter table coupons force row level security;
create policy tenant on coupons using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on coupons to tefo_app;

create table coupon_redemptions (
  organisation_id text collate "C" not null,
  coupon_id text collate "C" not null,
  subject text collate "C" not null,             -- the id of what the coupon lowers the price of
  customer_id text collate "C" not null,
  percent numeric,                               -- the coupon's terms at the time, which a change of it leaves alone
  amount_cents bigint,
  currency text not null,
  duration text collate "C" not null check (duration in ('first', 'cycles', 'every')),
  cycles integer,
  redeemed_at timestamptz not null,
  released_at timestamptz,                       -- given back, because the payment did not come
  late boolean not null default false,           -- the payment came after that: the only redemptions beyond the coupon's limits
  primary key (organisation_id, coupon_id, subject),
  foreign key (organisation_id, coupon_id) references coupons (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);
create index coupon_redemptions_customer on coupon_redemptions (organisation_id, coupon_id, customer_id) where released_at is null;
alter table coupon_redemptions enable row level security;
alter table coupon_redemptions force row level security;
create policy tenant on coupon_redemptions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update on coupon_redemptions to tefo_app;
