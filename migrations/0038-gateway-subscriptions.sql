-- Subscriptions that a gateway runs, each begun by a payment. A gateway names one by its key within the gateway account.
create table gateway_subscriptions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'active', 'past_due', 'paused', 'cancelled')),
  frequency text collate "C" not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text collate "C" not null,
  gateway_account_id text collate "C",           -- null until the payer has chosen one
  gateway_type text collate "C",
  payment_link_id text collate "C",
  customer_id text collate "C",
  invoice_id text collate "C",                   -- of a recurring link for an invoice: what each later invoice repeats
  first_reference text collate "C",              -- of the payment that began it
  link_key text collate "C",                     -- null until it has begun
  handle_sealed text,                            -- what the adapter needs to act on it
  card_token_sealed text,                        -- what the gateway account charges again
  card_brand text collate "C" check (card_brand in ('visa', 'mastercard', 'amex', 'diners', 'card')),
  card_last4 text collate "C",
  payer_email text,
  description text,
  external_reference text collate "C",
  metadata jsonb not null,
  next_charge_on date,
  paused boolean not null,
  paused_as_of timestamptz not null,             -- time of the newest report that says whether it is paused
  past_due boolean not null,
  past_due_as_of timestamptz not null,           -- time of the newest report that says whether a charge was missed
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id) references organisations (id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id),
  foreign key (organisation_id, payment_link_id) references payment_links (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  check ((gateway_account_id is null) = (gateway_type is null)),
  check ((link_key is null) = (first_reference is null)),
  check (link_key is null or gateway_account_id is not null),
  check (status <> 'pending' or link_key is null),
  check ((card_token_sealed is null) = (card_brand is null)),
  check ((card_token_sealed is null) = (card_last4 is null))
);
create unique index gateway_subscriptions_key on gateway_subscriptions (organisation_id, gateway_account_id, link_key) where link_key is not null;
create index gateway_subscriptions_payment_link on gateway_subscriptions (organisation_id, payment_link_id, id) where payment_link_id is not null;
create index gateway_subscriptions_external_reference on gateway_subscriptions (organisation_id, external_reference, id) where external_reference is not null;
create index gateway_subscriptions_customer on gateway_subscriptions (organisation_id, customer_id, id) where customer_id is not null;
create index gateway_subscriptions_invoice on gateway_subscriptions (organisation_id, invoice_id) where invoice_id is not null;
alter table gateway_subscriptions enable row level security;
alter table gateway_subscriptions force row level security;
create policy tenant on gateway_subscriptions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on gateway_subscriptions to tefo_app;

create index transactions_subscription on transactions (organisation_id, subscription_id, id) where subscription_id is not null;
