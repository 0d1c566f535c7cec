-- The invoice that asks for the money of a card set-up which a bank took back.
alter table reversals add column debit_invoice_id text collate "C";
alter table reversals add foreign key (organisation_id, debit_invoice_id) references invoices (organisation_id, id);
alter table organisations no force row level security;
alter table reversals no force row level security;
alter table transactions no force row level security;
alter table invoice_lines no force row level security;
do $$
declare
  tenant text;
begin
  for tenant in select id from organisations order by id loop
    update reversals r set debit_invoice_id = l.invoice_id
      from transactions t, invoice_lines l
     where r.organisation_id = tenant and t.organisation_id = tenant and l.organisation_id = tenant
       and t.id = r.transaction_id and t.type = 'card_setup' and r.reversed_at is not null and l.amount_cents = r.amount_cents
       and starts_with(l.description, 'Card set-up, payment ' || t.reference || ':');
  end loop;
end $$;
alter table invoice_lines force row level security;
alter table transactions force row level security;
alter table reversals force row level security;
alter table organisations force row level security;
