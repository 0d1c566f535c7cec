-- What the overview adds up over many records, kept by figure, currency and South African day (decision 605). Its triggers keep it, so that processes of the last release do too.
create table day_sums (
  organisation_id text collate "C" not null references organisations (id),
  -- open: what open invoices owe, by their due dates (`infinity`: none). collected: payments, by the day on which they were paid. debits: those of them
  -- that are debit orders; debits_reversed and debits_returned: what of these a bank took back, and that with what was refunded, at most the debit, by the
  -- day of the debit, and how many debits it leaves nothing of. recurring: what subscriptions bring in a month, on the day `infinity`.
  figure text collate "C" not null check (figure = any ('{open,collected,debits,debits_reversed,debits_returned,recurring}')),
  currency text not null,
  day date not null,
  -- Connections write rows of their own, so that payments of one day do not wait for each other. `fold_day_sums` brings them together in slot 0.
  slot smallint not null check (slot >= 0),
  amount_cents bigint not null,
  records bigint not null,
  primary key (organisation_id, figure, day, currency, slot)
) with (fillfactor = 50);

create function day_of(at timestamptz) returns date language sql immutable parallel safe
  return ((at at time zone 'UTC') + interval '2 hours')::date;
create function start_of_day(day date) returns timestamptz language sql immutable parallel safe
  return (day::timestamp - interval '2 hours') at time zone 'UTC';

-- The sums of an organisation's days, computed from its records: what `day_sums` must say.
create function day_sums_of(p_organisation text, p_from date, p_to date)
 returns table (figure text, currency text, day date, amount_cents bigint, records bigint) language sql stable as $$
  select 'open', o.currency, o.due_date, sum(o.open_cents)::bigint, sum(o.open_invoices)
    from open_invoice_totals o where o.organisation_id = p_organisation and o.due_date between p_from and p_to group by 2, 3
  union all
  select f.figure, t.currency, day_of(t.paid_at), sum(t.amount_cents)::bigint, count(*)
    from transactions t cross join lateral (values ('collected', true), ('debits', t.type = 'debit_order')) f(figure, counts)
   where t.organisation_id = p_organisation and t.paid_at >= start_of_day(p_from) and t.paid_at < start_of_day(p_to + 1) and f.counts group by 1, 2, 3
  union all
  select f.figure, t.currency, day_of(t.paid_at), sum(least(f.taken, t.amount_cents))::bigint, count(*) filter (where f.taken >= t.amount_cents)
    from (select transaction_id, sum(reversed)::bigint as reversed, sum(returned)::bigint as returned
            from (select transaction_id, amount_cents as reversed, amount_cents as returned
                    from reversals where organisation_id = p_organisation and reversed_at is not null
                  union all
                  select transaction_id, 0, amount_cents from refunds where organisation_id = p_organisation and status <> 'failed') x
           group by 1) taken
    -- One look-up for each debit, also where nothing is known of the tables yet: a plan that adds up what was taken for each transaction takes hours.
   cross join lateral (select * from transactions where organisation_id = p_organisation and id = taken.transaction_id limit 1) t
   cross join lateral (values ('debits_reversed', taken.reversed), ('debits_returned', taken.returned)) f(figure, taken)
   where t.type = 'debit_order' and t.paid_at >= start_of_day(p_from) and t.paid_at < start_of_day(p_to + 1) and f.taken > 0 group by 1, 2, 3
  union all
  select 'recurring', v.currency, 'infinity', sum(s.mrr_cents)::bigint, count(*)
    from customer_subscriptions s join plan_versions v on v.organisation_id = p_organisation and v.id = s.plan_version_id
   where s.organisation_id = p_organisation and s.mrr_cents <> 0 and p_to = 'infinity' group by 2
$$;

create function add_to_day(p_organisation text, p_figure text, p_currency text, p_day date, p_cents bigint, p_records bigint) returns void
 language plpgsql as $$
begin
  if p_cents = 0 and p_records = 0 then return; end if;
  insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
  values (p_organisation, p_figure, p_currency, p_day, 1 + pg_backend_pid() % 64, p_cents, p_records)
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
end $$;

create function keep_open_sums() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.currency = old.currency and new.due_date = old.due_date then
    perform add_to_day(new.organisation_id, 'open', new.currency, new.due_date, new.open_cents - old.open_cents, new.open_invoices - old.open_invoices);
    return null;
  end if;
  if tg_op <> 'INSERT' then perform add_to_day(old.organisation_id, 'open', old.currency, old.due_date, -old.open_cents, -old.open_invoices); end if;
  if tg_op <> 'DELETE' then perform add_to_day(new.organisation_id, 'open', new.currency, new.due_date, new.open_cents, new.open_invoices); end if;
  return null;
end $$;

create function keep_recurring_sums() returns trigger language plpgsql as $$
declare
  was text;
  now_in text;
begin
  if tg_op <> 'INSERT' then
    select currency into was from plan_versions where organisation_id = old.organisation_id and id = old.plan_version_id;
  end if;
  if tg_op <> 'DELETE' then
    select currency into now_in from plan_versions where organisation_id = new.organisation_id and id = new.plan_version_id;
  end if;
  if was = now_in then
    perform add_to_day(new.organisation_id, 'recurring', was, 'infinity', new.mrr_cents - old.mrr_cents,
      (new.mrr_cents <> 0)::integer - (old.mrr_cents <> 0)::integer);
    return null;
  end if;
  if was is not null then perform add_to_day(old.organisation_id, 'recurring', was, 'infinity', -old.mrr_cents, -(old.mrr_cents <> 0)::integer); end if;
  if now_in is not null then perform add_to_day(new.organisation_id, 'recurring', now_in, 'infinity', new.mrr_cents, (new.mrr_cents <> 0)::integer); end if;
  return null;
end $$;

-- Payments are settled hundreds at a time, so their updates are added up first. The order is that of all who write these rows.
create function keep_collected_sums() returns trigger language plpgsql as $$
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
  select t.organisation_id, f.figure, t.currency, day_of(t.paid_at), 1 + pg_backend_pid() % 64, sum(t.sign * t.amount_cents)::bigint, sum(t.sign)
    from (select organisation_id, currency, paid_at, amount_cents, type, 1 as sign from changed where paid_at is not null
          union all select organisation_id, currency, paid_at, amount_cents, type, -1 from before where paid_at is not null) t
   cross join lateral (values ('collected', true), ('debits', t.type = 'debit_order')) f(figure, counts)
   where f.counts group by 1, 2, 3, 4 having sum(t.sign * t.amount_cents) <> 0 or sum(t.sign) <> 0 order by 1, 2, 4, 3
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  return null;
end $$;

-- Adds to what was taken of a debit. Whoever takes of a payment has locked it, and so sees what others took before.
create function add_to_taken(p_organisation text, p_transaction text, p_reversed bigint, p_refunded bigint) returns void
 language plpgsql as $$
declare
  debit record;
  reversed bigint;
  refunded bigint;
begin
  if p_reversed = 0 and p_refunded = 0 then return; end if;
  select t.currency, day_of(t.paid_at) as day, t.amount_cents into debit from transactions t
   where t.organisation_id = p_organisation and t.id = p_transaction and t.type = 'debit_order' and t.paid_at is not null for no key update;
  if not found then return; end if;
  select coalesce(sum(amount_cents), 0) into reversed from reversals
   where organisation_id = p_organisation and transaction_id = p_transaction and reversed_at is not null;
  select coalesce(sum(amount_cents), 0) into refunded from refunds
   where organisation_id = p_organisation and transaction_id = p_transaction and status <> 'failed';
  perform add_to_day(p_organisation, 'debits_' || f.figure, debit.currency, debit.day,
      least(f.taken, debit.amount_cents) - least(f.taken - f.more, debit.amount_cents),
      (f.taken >= debit.amount_cents)::integer - (f.taken - f.more >= debit.amount_cents)::integer)
    from (values ('reversed', reversed, p_reversed), ('returned', reversed + refunded, p_reversed + p_refunded)) f(figure, taken, more);
end $$;

create function keep_reversed_sums() returns trigger language plpgsql as $$
declare
  was bigint := 0;
  is_now bigint := 0;
begin
  if tg_op <> 'INSERT' and old.reversed_at is not null then was := old.amount_cents; end if;
  if tg_op <> 'DELETE' and new.reversed_at is not null then is_now := new.amount_cents; end if;
  perform add_to_taken(coalesce(new.organisation_id, old.organisation_id), coalesce(new.transaction_id, old.transaction_id), is_now - was, 0);
  return null;
end $$;
create function keep_refunded_sums() returns trigger language plpgsql as $$
declare
  was bigint := 0;
  is_now bigint := 0;
begin
  if tg_op <> 'INSERT' and old.status <> 'failed' then was := old.amount_cents; end if;
  if tg_op <> 'DELETE' and new.status <> 'failed' then is_now := new.amount_cents; end if;
  perform add_to_taken(coalesce(new.organisation_id, old.organisation_id), coalesce(new.transaction_id, old.transaction_id), 0, is_now - was);
  return null;
end $$;

-- Brings together what connections have written for an organisation, except what is being written now.
create function fold_day_sums(p_organisation text) returns void language plpgsql as $$
begin
  with written as (
    select figure, day, currency, slot from day_sums where organisation_id = p_organisation and slot > 0 for update skip locked),
  taken as (
    delete from day_sums s using written w
     where s.organisation_id = p_organisation and s.figure = w.figure and s.day = w.day and s.currency = w.currency and s.slot = w.slot
    returning s.figure, s.currency, s.day, s.amount_cents, s.records)
  insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
  select p_organisation, t.figure, t.currency, t.day, 0, sum(t.amount_cents)::bigint, sum(t.records)::bigint
    from taken t group by 2, 3, 4 order by 2, 4, 3
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  delete from day_sums where organisation_id = p_organisation and slot = 0 and amount_cents = 0 and records = 0;
end $$;
create function organisations_with_new_sums() returns setof text language sql stable security definer set search_path = public, pg_temp as $$
  select distinct organisation_id from day_sums where slot > 0
$$;

-- Whoever migrates reads and fills the rows of every organisation, also as an owner that row level security holds.
alter table open_invoice_totals no force row level security;
alter table transactions no force row level security;
alter table refunds no force row level security;
alter table reversals no force row level security;
alter table customer_subscriptions no force row level security;
alter table plan_versions no force row level security;
-- Nobody changes what is added up until the triggers are there.
lock table open_invoice_totals, transactions, refunds, reversals, customer_subscriptions in share row exclusive mode;

insert into day_sums (organisation_id, figure, currency, day, slot, amount_cents, records)
select o.organisation_id, s.figure, s.currency, s.day, 0, s.amount_cents, s.records
  from (select organisation_id from open_invoice_totals union select organisation_id from transactions
        union select organisation_id from customer_subscriptions) o
 cross join lateral day_sums_of(o.organisation_id, '-infinity', 'infinity') s;

create trigger open_invoice_totals_made after insert or update on open_invoice_totals for each row execute function keep_open_sums();
create trigger open_invoice_totals_removed after delete on open_invoice_totals for each row
  when (old.open_invoices <> 0 or old.open_cents <> 0) execute function keep_open_sums();
create trigger transactions_made_paid after insert on transactions for each row when (new.paid_at is not null) execute function keep_collected_sums();
create trigger transactions_changed after update on transactions referencing old table as before new table as changed
  for each statement execute function keep_collected_sums();
create trigger transactions_removed after delete on transactions for each row when (old.paid_at is not null) execute function keep_collected_sums();
create trigger reversals_kept after insert or update or delete on reversals for each row execute function keep_reversed_sums();
create trigger refunds_kept after insert or update or delete on refunds for each row execute function keep_refunded_sums();
create trigger customer_subscriptions_made after insert on customer_subscriptions for each row when (new.mrr_cents <> 0) execute function keep_recurring_sums();
create trigger customer_subscriptions_changed after update on customer_subscriptions for each row
  when (old.mrr_cents <> new.mrr_cents or (new.mrr_cents <> 0 and old.plan_version_id is distinct from new.plan_version_id)) execute function keep_recurring_sums();
create trigger customer_subscriptions_removed after delete on customer_subscriptions for each row when (old.mrr_cents <> 0) execute function keep_recurring_sums();

alter table open_invoice_totals force row level security;
alter table transactions force row level security;
alter table refunds force row level security;
alter table reversals force row level security;
alter table customer_subscriptions force row level security;
alter table plan_versions force row level security;

create index day_sums_new on day_sums (organisation_id) where slot > 0;
alter table day_sums enable row level security;
alter table day_sums force row level security;
create policy tenant on day_sums using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
create policy gate on day_sums for select to tefo_gate using (true);
grant select, insert, update, delete on day_sums to tefo_app;
grant select on day_sums to tefo_gate;
grant create on schema public to tefo_gate;
alter function organisations_with_new_sums owner to tefo_gate;
revoke create on schema public from tefo_gate;
revoke execute on function organisations_with_new_sums from public;
grant execute on function organisations_with_new_sums to tefo_app;

-- What read these is kept now, and the mandates of a day are added up from their index alone.
drop index customer_subscriptions_revenue;
drop index mandates_due;
create index mandates_due on mandates (organisation_id, next_debit_date, id) include (amount_cents) where next_debit_date is not null;
