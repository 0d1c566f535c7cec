-- An invoice was paid when its latest payment was made, not when the one was that was recorded last.
alter table invoices no force row level security;
alter table invoice_payments no force row level security;
do $$
declare
  tenant text;
begin
  for tenant in select distinct organisation_id from invoices where status = 'paid' loop
    update invoices i set paid_at = y.paid_at
      from (select invoice_id, max(paid_at) as paid_at from invoice_payments where organisation_id = tenant and amount_cents > 0 group by invoice_id) y
     where i.organisation_id = tenant and i.id = y.invoice_id and i.status = 'paid' and i.paid_at <> y.paid_at;
  end loop;
end $$;
alter table invoices force row level security;
alter table invoice_payments force row level security;
