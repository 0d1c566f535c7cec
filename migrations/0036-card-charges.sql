-- Charges of saved cards. What was charged is in the transaction; this row ties it to the card.
create table card_charges (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  transaction_id text collate "C" not null,
  customer_id text collate "C" not null,
  card_id text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'complete', 'failed')),
  external_reference text collate "C",           -- null: not charged through the API
  holds_reference boolean not null,              -- no other charge may have the external reference
  due_invoice_id text collate "C",               -- the invoice for which the default card was charged when it fell due
  business_day date not null,                    -- on which it was asked for
  failure_reason text,
  primary key (organisation_id, id),
  unique (organisation_id, transaction_id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  foreign key (organisation_id, card_id) references cards (organisation_id, id),
  check (not holds_reference or (external_reference is not null and status in ('pending', 'complete'))),
  check ((failure_reason is not null) = (status = 'failed'))
);
create unique index card_charges_reference on card_charges (organisation_id, external_reference) where holds_reference;
create index card_charges_references on card_charges (organisation_id, external_reference, id) where external_reference is not null;
create unique index card_charges_due_invoice on card_charges (organisation_id, due_invoice_id) where due_invoice_id is not null;
create index card_charges_customer on card_charges (organisation_id, customer_id, business_day);
create index card_charges_card on card_charges (organisation_id, card_id);
alter table card_charges enable row level security;
alter table card_charges force row level security;
create policy tenant on card_charges using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on card_charges to tefo_app;
