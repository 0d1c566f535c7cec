-- Completed bank transfers and debits of which no statement has shown anything (decision 740). Its triggers keep it, so that processes of the last
-- release do too.
create table awaited_payments (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  type text collate "C" not null check (type in ('eft', 'debit_order')),
  currency text not null,
  gateway_account_id text collate "C" not null,
  paid_at timestamptz not null,
  primary key (organisation_id, transaction_id)
);

-- Payments that begin or cease to be paid. They are settled hundreds at a time. What a statement has shown before may be paid only now.
create function keep_paid_awaited() returns trigger language plpgsql as $$
declare
  tenant text;
begin
  if tg_level = 'ROW' then
    insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
    select new.organisation_id, new.id, new.type, new.currency, new.gateway_account_id, new.paid_at
     where not exists (select from reconciliation_allocations a
                        where a.organisation_id = new.organisation_id and a.subject = new.id and a.undone_at is null)
    on conflict do nothing;
    return null;
  end if;
  for tenant in select distinct organisation_id from changed where type in ('eft', 'debit_order') loop
    -- A look-up by key for each payment, here and below, whatever is known of the tables when this is planned: a join could read a whole table for a few.
    if exists (select from before where type in ('eft', 'debit_order') and paid_at is not null) then
      delete from awaited_payments w where w.organisation_id = tenant and w.ctid = any (array(
        select (select k.ctid from awaited_payments k where k.organisation_id = tenant and k.transaction_id = b.id limit 1) from (
          select id, type, currency, gateway_account_id, paid_at from before
           where organisation_id = tenant and type in ('eft', 'debit_order') and paid_at is not null
          except all select id, type, currency, gateway_account_id, paid_at from changed where organisation_id = tenant) b));
    end if;
    insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
    select tenant, c.id, c.type, c.currency, c.gateway_account_id, c.paid_at from (
        select id, type, currency, gateway_account_id, paid_at from changed
         where organisation_id = tenant and type in ('eft', 'debit_order') and paid_at is not null
        except all select id, type, currency, gateway_account_id, paid_at from before where organisation_id = tenant) c
     where (select a.subject from reconciliation_allocations a
             where a.organisation_id = tenant and a.subject = c.id and a.undone_at is null limit 1) is null
    on conflict do nothing;
  end loop;
  return null;
end $$;

-- Payments that lines of a statement show, hundreds at a time. Whoever matches lines, or undoes that, has locked the reconciliation of the organisation.
create function keep_shown_awaited() returns trigger language plpgsql as $$
declare
  tenant text;
  shown text[];
  removed bigint;
begin
  for tenant, shown in
    select organisation_id, array_agg(distinct subject order by subject) from changed where kind = 'payment' and undone_at is null group by 1
  loop
    delete from awaited_payments w where w.organisation_id = tenant and w.ctid = any (array(
      select (select k.ctid from awaited_payments k where k.organisation_id = tenant and k.transaction_id = s.id limit 1) from unnest(shown) s(id)));
    get diagnostics removed = row_count;
    continue when removed = cardinality(shown);
    -- One that is becoming paid in another transaction is waited for: that does not see what is shown here.
    perform p.id from unnest(shown) s(id) cross join lateral (
      select t.id from transactions t
       where t.organisation_id = tenant and t.id = s.id and t.type in ('eft', 'debit_order') and t.paid_at is null limit 1 for no key update) p;
    delete from awaited_payments w where w.organisation_id = tenant and w.ctid = any (array(
      select (select k.ctid from awaited_payments k where k.organisation_id = tenant and k.transaction_id = s.id limit 1) from unnest(shown) s(id)));
  end loop;
  return null;
end $$;

-- Adds a payment that is awaited again. One that is becoming paid in another transaction is waited for: that does not see what has changed here.
create function await_again(p_organisation text, p_transaction text) returns void language plpgsql as $$
begin
  perform from transactions where organisation_id = p_organisation and id = p_transaction and type in ('eft', 'debit_order') and paid_at is null
    for no key update;
  insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
  select t.organisation_id, t.id, t.type, t.currency, t.gateway_account_id, t.paid_at from transactions t
   where t.organisation_id = p_organisation and t.id = p_transaction and t.type in ('eft', 'debit_order') and t.paid_at is not null
     and not exists (select from reconciliation_allocations a
                      where a.organisation_id = p_organisation and a.subject = p_transaction and a.undone_at is null)
  on conflict do nothing;
end $$;

-- A match that is undone. A payment that a bank took back meanwhile is added too, and left out by who reads: its reversal may not be seen here.
create function keep_unshown_awaited() returns trigger language plpgsql as $$
begin
  if old.undone_at is null then perform await_again(old.organisation_id, old.subject); end if;
  if tg_op = 'UPDATE' and new.undone_at is null then
    delete from awaited_payments where organisation_id = new.organisation_id and transaction_id = new.subject;
  end if;
  return null;
end $$;

-- Whoever reverses a payment has locked it, and so sees what others took back before. It does not wait for a statement that is being imported: when
-- that has the payment's row here, the payment is shown.
create function keep_reversed_awaited() returns trigger language plpgsql as $$
declare
  payment text := coalesce(new.transaction_id, old.transaction_id);
  organisation text := coalesce(new.organisation_id, old.organisation_id);
  less boolean := tg_op = 'DELETE' or tg_op = 'UPDATE' and old.reversed_at is not null and (new.reversed_at is null or new.amount_cents < old.amount_cents);
begin
  if (select t.amount_cents <= (select sum(r.amount_cents) from reversals r
                                 where r.organisation_id = organisation and r.transaction_id = payment and r.reversed_at is not null)
        from transactions t where t.organisation_id = organisation and t.id = payment) then
    delete from awaited_payments w where w.organisation_id = organisation and w.ctid = (
      select k.ctid from awaited_payments k where k.organisation_id = organisation and k.transaction_id = payment for update skip locked);
  elsif less then
    perform await_again(organisation, payment);
  end if;
  return null;
end $$;

-- Whoever migrates reads and fills the rows of every organisation, also as an owner that row level security holds.
alter table transactions no force row level security;
alter table reconciliation_allocations no force row level security;
alter table reversals no force row level security;
-- Nobody changes what is kept until the triggers are there.
lock table transactions, reconciliation_allocations, reversals in share row exclusive mode;

do $$ declare tenant text; begin
  for tenant in select id from organisations loop
    insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
    select tenant, t.id, t.type, t.currency, t.gateway_account_id, t.paid_at from transactions t
     where t.organisation_id = tenant and t.type in ('eft', 'debit_order') and t.paid_at is not null
       and (select a.subject from reconciliation_allocations a
             where a.organisation_id = tenant and a.subject = t.id and a.undone_at is null limit 1) is null
       and t.amount_cents > coalesce((select sum(r.amount_cents) from reversals r
                                       where r.organisation_id = tenant and r.transaction_id = t.id and r.reversed_at is not null), 0);
  end loop;
end $$;
alter table awaited_payments add foreign key (organisation_id, transaction_id) references transactions (organisation_id, id) on delete cascade;
create index awaited_payments_oldest on awaited_payments (organisation_id, gateway_account_id, type, paid_at, transaction_id);
-- What nearly every organisation has is in none of it (decision 607).
create index awaited_payments_foreign on awaited_payments (organisation_id, gateway_account_id, type, currency, paid_at, transaction_id)
 where currency <> 'ZAR';

create trigger transactions_made_awaited after insert on transactions for each row
  when (new.type in ('eft', 'debit_order') and new.paid_at is not null) execute function keep_paid_awaited();
create trigger transactions_awaited after update on transactions referencing old table as before new table as changed
  for each statement execute function keep_paid_awaited();
create trigger reconciliation_allocations_shown after insert on reconciliation_allocations referencing new table as changed
  for each statement execute function keep_shown_awaited();
create trigger reconciliation_allocations_changed after update on reconciliation_allocations for each row
  when (old.subject is distinct from new.subject or old.undone_at is distinct from new.undone_at) execute function keep_unshown_awaited();
create trigger reconciliation_allocations_removed after delete on reconciliation_allocations for each row
  when (old.subject is not null and old.undone_at is null) execute function keep_unshown_awaited();
create trigger reversals_made_awaited after insert on reversals for each row when (new.reversed_at is not null) execute function keep_reversed_awaited();
create trigger reversals_changed_awaited after update on reversals for each row
  when (old.reversed_at is distinct from new.reversed_at or old.amount_cents <> new.amount_cents) execute function keep_reversed_awaited();
create trigger reversals_removed_awaited after delete on reversals for each row when (old.reversed_at is not null) execute function keep_reversed_awaited();

alter table transactions force row level security;
alter table reconciliation_allocations force row level security;
alter table reversals force row level security;

alter table awaited_payments enable row level security;
alter table awaited_payments force row level security;
create policy tenant on awaited_payments using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on awaited_payments to tefo_app;
