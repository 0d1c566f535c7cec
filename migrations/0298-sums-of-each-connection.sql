-- Each connection adds to sums of its own row: its process id, where the remainder of it let two connections share rows, and wait for each other in a
-- circle when they took them in different orders.
alter table day_sums alter column slot type integer;

CREATE OR REPLACE FUNCTION public.add_to_day(p_organisation text, p_figure text, p_currency text, p_day date, p_cents bigint, p_records bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  if p_cents = 0 and p_records = 0 then return; end if;
  insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
  values (p_organisation, p_figure, p_currency, p_day, pg_backend_pid(), p_cents, p_records)
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_collected_sums()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_level = 'ROW' and tg_op = 'INSERT' then
    perform add_to_day(new.organisation_id, 'collected', new.currency, day_of(new.paid_at), new.amount_cents, 1);
    if new.type = 'debit_order' then perform add_to_day(new.organisation_id, 'debits', new.currency, day_of(new.paid_at), new.amount_cents, 1); end if;
    return null;
  elsif tg_level = 'ROW' then
    perform add_to_day(old.organisation_id, 'collected', old.currency, day_of(old.paid_at), -old.amount_cents, -1);
    if old.type = 'debit_order' then perform add_to_day(old.organisation_id, 'debits', old.currency, day_of(old.paid_at), -old.amount_cents, -1); end if;
    return null;
  end if;
  insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
  select t.organisation_id, f.figure, t.currency, day_of(t.paid_at), pg_backend_pid(), sum(t.sign * t.amount_cents)::bigint, sum(t.sign)
    from (select organisation_id, currency, paid_at, amount_cents, type, 1 as sign from changed where paid_at is not null
          union all select organisation_id, currency, paid_at, amount_cents, type, -1 from before where paid_at is not null) t
   cross join lateral (values ('collected', true), ('debits', t.type = 'debit_order')) f(figure, counts)
   where f.counts group by 1, 2, 3, 4 having sum(t.sign * t.amount_cents) <> 0 or sum(t.sign) <> 0 order by 1, 2, 4, 3
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.keep_open_sums()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  values (new.organisation_id, 'open', new.currency, new.due_date, pg_backend_pid(), cents, invoices)
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  return null;
end $function$;
