-- The invoice that asks for the money of a card set-up which a bank took back.
alter table reversals add column debit_invoice_id text collate "C";
alter table reversals add foreign key (organisation_id, debit_invoice_id) references invoices (organisation_id, id);
alter table reversals no force row level security;
alter table transactions no force row level security;
alter table invoice_lines no force row level security;
update reversals r set debit_invoice_id = l.invoice_id
  from transactions t, invoice_lines l
 where t.organisation_id = r.organisation_id and t.id = r.transaction_id and t.type = 'card_setup' and r.reversed_at is not null
   and l.organisation_id = r.organisation_id and l.amount_cents = r.amount_cents
   and starts_with(l.description, 'Card set-up, payment ' || t.reference || ':');
alter table invoice_lines force row level security;
alter table transactions force row level security;
alter table reversals force row level security;
