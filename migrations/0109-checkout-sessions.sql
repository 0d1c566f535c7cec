-- Checkouts of packages and products, by a link that was made by API or by the form of a checkout page.
create table checkout_sessions (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'chk\_%'),
  status text collate "C" not null check (status in ('pending', 'completed', 'failed', 'expired')),
  source text collate "C" not null check (source in ('api', 'hosted')),
  package_id text collate "C",
  plan_id text collate "C",
  product_id text collate "C",
  customer_id text collate "C",
  subscription_id text collate "C",              -- of a customer subscription, or of a gateway's for a recurring product
  coupon_code text,
  return_url text,
  prefill jsonb not null,
  metadata jsonb not null,
  transaction_id text collate "C",               -- the latest payment, or the one that completed the session
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, package_id) references packages (organisation_id, id),
  foreign key (organisation_id, plan_id) references plans (organisation_id, id),
  foreign key (organisation_id, product_id) references products (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  check ((package_id is null) <> (product_id is null)),
  check (plan_id is null or package_id is not null),
  check (used_at is not null or customer_id is null),
  check (used_at is not null or transaction_id is null)
);
create index checkout_sessions_customer on checkout_sessions (organisation_id, customer_id, id) where customer_id is not null;
create index checkout_sessions_package on checkout_sessions (organisation_id, package_id) where package_id is not null;
create index checkout_sessions_plan on checkout_sessions (organisation_id, plan_id) where plan_id is not null;
create index checkout_sessions_product on checkout_sessions (organisation_id, product_id) where product_id is not null;
create index checkout_sessions_transaction on checkout_sessions (organisation_id, transaction_id) where transaction_id is not null;
alter table checkout_sessions enable row level security;
alter table checkout_sessions force row level security;
create policy tenant on checkout_sessions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on checkout_sessions to tefo_app;

-- The payments that were begun on a checkout session.
create table checkout_payments (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  checkout_session_id text collate "C" not null,
  discount_cents bigint not null check (discount_cents >= 0),
  tax_cents bigint check (tax_cents >= 0),       -- within the amount; null: the price has no VAT
  coupon_id text collate "C",
  coupon_subject text collate "C",               -- what the redemption is counted for
  primary key (organisation_id, transaction_id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  foreign key (organisation_id, checkout_session_id) references checkout_sessions (organisation_id, id),
  foreign key (organisation_id, coupon_id) references coupons (organisation_id, id),
  check ((coupon_id is null) = (coupon_subject is null))
);
create index checkout_payments_session on checkout_payments (organisation_id, checkout_session_id);
create index checkout_payments_coupon on checkout_payments (organisation_id, coupon_id) where coupon_id is not null;
alter table checkout_payments enable row level security;
alter table checkout_payments force row level security;
create policy tenant on checkout_payments using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on checkout_payments to tefo_app;
