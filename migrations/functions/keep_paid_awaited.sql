-- Keeps awaited_payments when payments begin or cease to be paid, hundreds at a time. What a statement has shown before may be paid only
-- now.
-- Why the table is kept: the list of money awaited walked through every payment that statements had shown, and took seconds among a million
-- of them; it takes milliseconds. By triggers, because three modules write what it follows from.
create or replace function keep_paid_awaited() returns trigger language plpgsql as $$
declare
  tenant text;
  paid text[];
  types text[];
  currencies text[];
  accounts text[];
  times timestamptz[];
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_level = 'ROW' then
    insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
    select new.organisation_id, new.id, new.type, new.currency, new.gateway_account_id, new.paid_at
     where not exists (select from reconciliation_allocations a
                        where a.organisation_id = new.organisation_id and a.subject = new.id and a.undone_at is null)
    on conflict do nothing;
    return null;
  end if;
  -- A look-up by key for each payment, here and below, whatever is known of the tables when this is planned: a join could read a whole table for a few.
  for tenant, paid in
    select b.organisation_id, array_agg(b.id order by b.id) from (
      select organisation_id, id, type, currency, gateway_account_id, paid_at from before
       where type in ('eft', 'debit_order') and paid_at is not null
      except all select organisation_id, id, type, currency, gateway_account_id, paid_at from changed) b group by 1
  loop
    delete from awaited_payments w where w.organisation_id = tenant and w.ctid = any (array(
      select (select k.ctid from awaited_payments k where k.organisation_id = tenant and k.transaction_id = b.id limit 1) from unnest(paid) b(id)));
  end loop;
  for tenant, paid, types, currencies, accounts, times in
    select c.organisation_id, array_agg(c.id order by c.id), array_agg(c.type order by c.id), array_agg(c.currency order by c.id),
           array_agg(c.gateway_account_id order by c.id), array_agg(c.paid_at order by c.id) from (
      select organisation_id, id, type, currency, gateway_account_id, paid_at from changed
       where type in ('eft', 'debit_order') and paid_at is not null
      except all select organisation_id, id, type, currency, gateway_account_id, paid_at from before) c group by 1
  loop
    insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
    select tenant, c.id, c.type, c.currency, c.gateway_account_id, c.paid_at
      from unnest(paid, types, currencies, accounts, times) c(id, type, currency, gateway_account_id, paid_at)
     where (select a.subject from reconciliation_allocations a
             where a.organisation_id = tenant and a.subject = c.id and a.undone_at is null limit 1) is null
    on conflict do nothing;
  end loop;
  return null;
end $$;

create or replace trigger transactions_awaited after update on transactions referencing old table as before new table
  as changed for each statement execute function keep_paid_awaited();
create or replace trigger transactions_made_awaited after insert on transactions for each row
  when ((new.type in ('eft', 'debit_order')) and new.paid_at is not null) execute function keep_paid_awaited();
