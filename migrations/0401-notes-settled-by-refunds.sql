-- What of a credit note was settled by a refund of a payment of the invoice that it corrects: the same money is not given back twice.
create table credit_note_refunds (
  organisation_id text collate "C" not null,
  credit_note_id text collate "C" not null,
  refund_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  settled_at timestamptz not null,
  undone_at timestamptz,
  primary key (organisation_id, credit_note_id, refund_id),
  foreign key (organisation_id, credit_note_id) references credit_notes (organisation_id, id),
  foreign key (organisation_id, refund_id) references refunds (organisation_id, id)
);
create index credit_note_refunds_refund on credit_note_refunds (organisation_id, refund_id);
alter table credit_note_refunds enable row level security;
alter table credit_note_refunds force row level security;
create policy tenant on credit_note_refunds using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on credit_note_refunds to tefo_app;

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind = any ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,credit_application,reversal,credit_refund,offline_payment_reversal,bank_match,bank_match_reversal,credit_note_refund,credit_note_refund_reversal}'::text[]));
