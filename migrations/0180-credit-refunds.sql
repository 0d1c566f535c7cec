-- Customer credit that is paid out, and the payments whose credit it is.
create table credit_refunds (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'crf\_%'),
  customer_id text collate "C" not null,
  currency text not null,
  amount_cents bigint not null check (amount_cents > 0),
  method text collate "C" not null check (method in ('manual')),
  reason text,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);
create index credit_refunds_customer on credit_refunds (organisation_id, customer_id, id);
alter table credit_refunds enable row level security;
alter table credit_refunds force row level security;
create policy tenant on credit_refunds using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on credit_refunds to tefo_app;

create table credit_refund_sources (
  organisation_id text collate "C" not null,
  credit_refund_id text collate "C" not null,
  line integer not null,
  transaction_id text collate "C",
  invoice_payment_id text collate "C",
  amount_cents bigint not null check (amount_cents > 0),
  primary key (organisation_id, credit_refund_id, line),
  foreign key (organisation_id, credit_refund_id) references credit_refunds (organisation_id, id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  foreign key (organisation_id, invoice_payment_id) references invoice_payments (organisation_id, id),
  check ((transaction_id is null) <> (invoice_payment_id is null))
);
create index credit_refund_sources_transaction on credit_refund_sources (organisation_id, transaction_id) where transaction_id is not null;
create index credit_refund_sources_payment on credit_refund_sources (organisation_id, invoice_payment_id) where invoice_payment_id is not null;
alter table credit_refund_sources enable row level security;
alter table credit_refund_sources force row level security;
create policy tenant on credit_refund_sources using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on credit_refund_sources to tefo_app;

create index transactions_overpaid on transactions (organisation_id, id) where overpaid_cents > 0;

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind = any
  ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,credit_application,reversal,credit_refund}')) not valid;
