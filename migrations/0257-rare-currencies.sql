-- Records in another currency than the rand are few in most organisations: their lists read an index, not every record. Those in rand are in none of these.
create index invoices_foreign on invoices (organisation_id, currency, id) where currency <> 'ZAR';
create index transactions_foreign on transactions (organisation_id, currency, id) where currency <> 'ZAR';
create index eft_orders_foreign on eft_orders (organisation_id, currency, id) where currency <> 'ZAR';

-- Written out, since each invoice runs it: a call of `add_to_day` costs as much again as the row.
create or replace function keep_open_sums() returns trigger language plpgsql as $$
declare
  cents bigint;
  invoices bigint;
begin
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
  values (new.organisation_id, 'open', new.currency, new.due_date, 1 + pg_backend_pid() % 64, cents, invoices)
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  return null;
end $$;
