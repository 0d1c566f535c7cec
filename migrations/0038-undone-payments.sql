-- Payments of invoices that were recorded by hand or with a match, and undone: both of their entries stay in the books.
create table undone_invoice_payments (
  organisation_id text collate "C" not null,
  id text collate "C" not null,                 -- of the payment
  invoice_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  paid_at timestamptz not null,
  undone_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices
);
create index undone_invoice_payments_invoice on undone_invoice_payments (organisation_id, invoice_id, id);

do $$
declare
  tenant text;
begin
  for tenant in select id from organisations loop
    insert into undone_invoice_payments (organisation_id, id, invoice_id, amount_cents, paid_at, undone_at)
    select tenant, a.subject, a.invoice_id, a.amount_cents, e.occurred_at, a.undone_at from reconciliation_allocations a
      join journal_entries e on e.organisation_id = tenant and e.kind = 'offline_payment' and e.subject = a.subject
     where a.organisation_id = tenant and a.kind = 'invoice_payment' and a.recorded and a.undone_at is not null
       and a.invoice_id is not null
    on conflict do nothing;
  end loop;
end $$;

alter table undone_invoice_payments enable row level security;
alter table undone_invoice_payments force row level security;
create policy tenant on undone_invoice_payments using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, insert, update, delete on undone_invoice_payments to tefo_app;
