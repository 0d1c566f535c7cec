-- The card that pays a subscription, and the links whose card is kept for one.
alter table customer_subscriptions add column card_id text collate "C";
alter table customer_subscriptions add constraint customer_subscriptions_card_fkey
  foreign key (organisation_id, card_id) references cards (organisation_id, id);
create index customer_subscriptions_card on customer_subscriptions (organisation_id, card_id) where card_id is not null;
alter table payment_links add column keeps_card boolean not null default false;
-- A charge that the service makes by itself, which counts for no limit of the customer.
alter table card_charges add column is_collection boolean not null default false;

-- Invoices of subscriptions that the service collects by itself: from a stored card, or by debit order.
create table subscription_collections (
  organisation_id text collate "C" not null,
  invoice_id text collate "C" not null,
  customer_subscription_id text collate "C" not null,
  missed_at timestamptz,                         -- of the first attempt that failed
  retries integer not null default 0 check (retries >= 0), -- that were made on a day of the settings
  is_hard boolean not null default false,        -- the last card will never pay: it is not charged again
  new_card_id text collate "C",                  -- became the default, and is tried once
  ended text collate "C" check (ended in ('paid', 'cancelled', 'stopped', 'given_up')),
  created_at timestamptz not null,
  primary key (organisation_id, invoice_id),
  foreign key (organisation_id, invoice_id) references invoices (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id),
  foreign key (organisation_id, new_card_id) references cards (organisation_id, id),
  check (missed_at is not null or (retries = 0 and not is_hard))
);
create index subscription_collections_subscription on subscription_collections (organisation_id, customer_subscription_id, invoice_id);
create index subscription_collections_new_card on subscription_collections (organisation_id, new_card_id) where new_card_id is not null;
alter table subscription_collections enable row level security;
alter table subscription_collections force row level security;
create policy tenant on subscription_collections using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on subscription_collections to tefo_app;

-- Every attempt to collect one, also one that could not be made.
create table collection_attempts (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'att\_%'),
  customer_subscription_id text collate "C" not null,
  invoice_id text collate "C" not null,
  cause text collate "C" not null check (cause in ('renewal', 'retry', 'new_card', 'request', 'debit_day')),
  transaction_id text collate "C",               -- null: nothing could be asked of a gateway
  status text collate "C" not null check (status in ('pending', 'complete', 'failed')),
  reason text,                                   -- why it failed
  is_hard boolean not null default false,
  next_at timestamptz,                           -- when the next attempt follows by itself
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, invoice_id) references subscription_collections (organisation_id, invoice_id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  check ((status = 'failed') = (reason is not null)),
  check (transaction_id is not null or status = 'failed')
);
create unique index collection_attempts_transaction on collection_attempts (organisation_id, transaction_id) where transaction_id is not null;
create index collection_attempts_subscription on collection_attempts (organisation_id, customer_subscription_id, id);
create index collection_attempts_invoice on collection_attempts (organisation_id, invoice_id, id);
alter table collection_attempts enable row level security;
alter table collection_attempts force row level security;
create policy tenant on collection_attempts using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on collection_attempts to tefo_app;
create index mandates_subscription on mandates (organisation_id, subscription_id, id) where subscription_id is not null;
