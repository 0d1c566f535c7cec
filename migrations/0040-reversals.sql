-- Money that was collected and that a bank took back.
create table reversals (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  transaction_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  reason text not null,
  code text,
  occurred_at timestamptz,                       -- by the gateway; with the code it tells two reversals of a payment apart
  reversed_at timestamptz,                       -- when it was posted; null until its payment completes
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id)
);
create index reversals_transaction on reversals (organisation_id, transaction_id, id);
alter table reversals enable row level security;
alter table reversals force row level security;
create policy tenant on reversals using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on reversals to tefo_app;

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check
  check (kind in ('payment', 'refund', 'refund_reversal', 'invoice', 'invoice_cancelled', 'offline_payment', 'credit_note',
                  'credit_application', 'reversal'));

-- A reversal takes its amount off what was paid on an invoice.
alter table invoice_payments drop constraint invoice_payments_source_check;
alter table invoice_payments add constraint invoice_payments_source_check
  check (source in ('offline', 'transaction', 'credit_note', 'reversal'));
alter table invoice_payments drop constraint invoice_payments_amount_cents_check;
alter table invoice_payments add constraint invoice_payments_amount_of_source
  check (amount_cents <> 0 and (amount_cents < 0) = (source = 'reversal'));
