-- Hosted pages on which a customer adds a card.
create table card_setups (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  customer_id text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'completed', 'expired')),
  return_url text,
  make_default boolean not null,
  card_id text collate "C",
  failure_reason text collate "C" check (failure_reason in ('declined', 'cancelled', 'no_card_saved')),
  metadata jsonb not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, card_id) references cards (organisation_id, id),
  check ((card_id is not null) = (status = 'completed')),
  check ((completed_at is not null) = (status = 'completed'))
);
create index card_setups_card on card_setups (organisation_id, card_id) where card_id is not null;
create index card_setups_customer on card_setups (organisation_id, customer_id, id);
alter table card_setups enable row level security;
alter table card_setups force row level security;
create policy tenant on card_setups using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on card_setups to tefo_app;

-- The payments of 1.00 that were begun on such a page.
create table card_setup_payments (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  card_setup_id text collate "C" not null,
  primary key (organisation_id, transaction_id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  foreign key (organisation_id, card_setup_id) references card_setups (organisation_id, id)
);
create index card_setup_payments_setup on card_setup_payments (organisation_id, card_setup_id);
alter table card_setup_payments enable row level security;
alter table card_setup_payments force row level security;
create policy tenant on card_setup_payments using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on card_setup_payments to tefo_app;
