-- Keeps the sums of open invoices by due date. `add_to_day` written out, since each invoice runs it: a call of it costs as much again as
-- the row.
create or replace function keep_open_sums() returns trigger language plpgsql as $$
declare
  cents bigint;
  invoices bigint;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op = 'INSERT' then
    cents := new.open_cents;
    invoices := new.open_invoices;
  elsif tg_op = 'UPDATE' and new.currency = old.currency and new.due_date = old.due_date then
    cents := new.open_cents - old.open_cents;
    invoices := new.open_invoices - old.open_invoices;
  else
    perform add_to_day(old.organisation_id, 'open', old.currency, old.due_date, -old.open_cents, -old.open_invoices);
    if tg_op = 'DELETE' then return null; end if;
    cents := new.open_cents;
    invoices := new.open_invoices;
  end if;
  insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
  values (new.organisation_id, 'open', new.currency, new.due_date, pg_backend_pid(), cents, invoices)
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  return null;
end $$;

create or replace trigger open_invoice_totals_made after insert or update on open_invoice_totals for each row
  execute function keep_open_sums();
create or replace trigger open_invoice_totals_removed after delete on open_invoice_totals for each row
  when (old.open_invoices <> 0 or old.open_cents <> 0) execute function keep_open_sums();
