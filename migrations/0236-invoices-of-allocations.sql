-- The invoice whose payment a match recorded, which stays known when the match is undone: the payment's own row goes then. The VAT return
-- on the payments basis is read by it. Of a match that was undone before, the entry that took the payment back names the invoice's number.
alter table reconciliation_allocations add column invoice_id text collate "C";
alter table organisations no force row level security;
alter table reconciliation_allocations no force row level security;
alter table invoice_payments no force row level security;
alter table invoices no force row level security;
alter table journal_entries no force row level security;
do $$
declare tenant text;
begin
  for tenant in select id from organisations order by id loop
    update reconciliation_allocations a set invoice_id = y.invoice_id from invoice_payments y
     where a.organisation_id = tenant and a.recorded and y.organisation_id = tenant and y.id = a.subject;
    update reconciliation_allocations a set invoice_id = i.id from journal_entries e, invoices i
     where a.organisation_id = tenant and a.recorded and a.invoice_id is null
       and e.organisation_id = tenant and e.kind = 'offline_payment_reversal' and e.subject = a.subject
       and i.organisation_id = tenant and e.description = 'Payment of invoice ' || i.number || ' taken back';
  end loop;
end $$;
alter table organisations force row level security;
alter table reconciliation_allocations force row level security;
alter table invoice_payments force row level security;
alter table invoices force row level security;
alter table journal_entries force row level security;
create index reconciliation_allocations_invoice on reconciliation_allocations (organisation_id, invoice_id) where invoice_id is not null;
