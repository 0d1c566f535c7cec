-- Cards that customers saved. A gateway knows a card again by its fingerprint; the card then keeps its row. One default per customer.
create table cards (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  customer_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  fingerprint text collate "C",                  -- null: the gateway has none
  token_sealed text not null,                    -- what the gateway account charges
  brand text collate "C" not null check (brand in ('visa', 'mastercard', 'amex', 'diners', 'card')),
  last4 text collate "C" not null,
  expiry_month smallint check (expiry_month between 1 and 12),
  expiry_year smallint,
  holder_name text,
  status text collate "C" not null check (status in ('active', 'expired', 'failed', 'removed')),
  is_default boolean not null,
  source text collate "C" not null check (source in ('card_setup', 'checkout')),
  told_expiring_at timestamptz,                  -- customer.payment_method.expiring was sent
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id),
  check ((expiry_month is null) = (expiry_year is null)),
  check (not (is_default and status = 'removed'))
);
create index cards_customer on cards (organisation_id, customer_id, id);
create unique index cards_default on cards (organisation_id, customer_id) where is_default;
create unique index cards_known on cards (organisation_id, customer_id, gateway_account_id, fingerprint) where fingerprint is not null;
alter table cards enable row level security;
alter table cards force row level security;
create policy tenant on cards using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on cards to tefo_app;
