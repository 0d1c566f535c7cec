-- Credit of a customer from overpayments and from payments of cancelled invoices, that was applied to an invoice. Rows are only added: what a
-- bank takes back of the payment, or returns to it when the invoice is cancelled or the application undone, is a row below zero, which names
-- the application and the reversal, if there is one.
create table credit_applications (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  customer_id text collate "C" not null,
  currency text not null,
  invoice_id text collate "C" not null,
  transaction_id text collate "C",
  invoice_payment_id text collate "C",
  match_id text collate "C",
  match_place smallint,
  amount_cents bigint not null,
  takes_back text collate "C",
  reversal_id text collate "C",
  applied_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, invoice_id) references invoices,
  foreign key (organisation_id, transaction_id) references transactions,
  foreign key (organisation_id, invoice_payment_id) references invoice_payments,
  foreign key (organisation_id, takes_back) references credit_applications,
  constraint credit_applications_match_fkey foreign key (organisation_id, match_id, match_place)
    references reconciliation_allocations (organisation_id, match_id, place),
  constraint credit_applications_one_check
    check (num_nonnulls(transaction_id, invoice_payment_id, match_id) = 1 and (match_id is null) = (match_place is null)),
  constraint credit_applications_amount_check
    check (amount_cents <> 0 and (amount_cents < 0) = (takes_back is not null) and (reversal_id is null or takes_back is not null))
);
create index credit_applications_invoice on credit_applications (organisation_id, invoice_id, id);
create index credit_applications_customer on credit_applications (organisation_id, customer_id, id);
create index credit_applications_match on credit_applications (organisation_id, match_id) where match_id is not null;
create index credit_applications_payment on credit_applications (organisation_id, invoice_payment_id) where invoice_payment_id is not null;
create index credit_applications_reversal on credit_applications (organisation_id, reversal_id) where reversal_id is not null;
create index credit_applications_takes_back on credit_applications (organisation_id, takes_back) where takes_back is not null;
create index credit_applications_transaction on credit_applications (organisation_id, transaction_id) where transaction_id is not null;

alter table invoice_payments drop constraint invoice_payments_source_check;
alter table invoice_payments add constraint invoice_payments_source_check
  check (source in ('offline', 'transaction', 'credit_note', 'credit', 'reversal'));
alter table invoice_payments drop constraint invoice_payments_amount_of_source;
alter table invoice_payments add constraint invoice_payments_amount_of_source
  check (amount_cents <> 0 and (amount_cents > 0 or source in ('credit', 'reversal')));

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind = any ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,credit_application,credit_use,reversal,credit_refund,offline_payment_reversal,bank_match,bank_match_reversal,credit_note_refund,credit_note_refund_reversal}'));

alter table credit_applications enable row level security;
alter table credit_applications force row level security;
create policy tenant on credit_applications using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert on credit_applications to tefo_app;
