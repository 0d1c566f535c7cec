-- Keeps the sums of payments and debits by day (add_to_day). Payments are settled hundreds at a time, so their updates are added up first,
-- in the order of all who write these rows.
create or replace function keep_collected_sums() returns trigger language plpgsql as $$
declare
  kept record;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_level = 'ROW' and tg_op = 'INSERT' then
    perform add_to_day(new.organisation_id, 'collected', new.currency, day_of(new.paid_at), new.amount_cents, 1);
    if new.type = 'debit_order' then perform add_to_day(new.organisation_id, 'debits', new.currency, day_of(new.paid_at), new.amount_cents, 1); end if;
    return null;
  elsif tg_level = 'ROW' then
    perform add_to_day(old.organisation_id, 'collected', old.currency, day_of(old.paid_at), -old.amount_cents, -1);
    if old.type = 'debit_order' then perform add_to_day(old.organisation_id, 'debits', old.currency, day_of(old.paid_at), -old.amount_cents, -1); end if;
    return null;
  end if;
  for kept in
    select t.organisation_id, f.figure, t.currency, day_of(t.paid_at) as day, sum(t.sign * t.amount_cents)::bigint as cents, sum(t.sign) as records
      from (select organisation_id, currency, paid_at, amount_cents, type, 1 as sign from changed where paid_at is not null
            union all select organisation_id, currency, paid_at, amount_cents, type, -1 from before where paid_at is not null) t
     cross join lateral (values ('collected', true), ('debits', t.type = 'debit_order')) f(figure, counts)
     where f.counts group by 1, 2, 3, 4 having sum(t.sign * t.amount_cents) <> 0 or sum(t.sign) <> 0 order by 1, 2, 4, 3
  loop
    perform add_to_day(kept.organisation_id, kept.figure, kept.currency, kept.day, kept.cents, kept.records);
  end loop;
  return null;
end $$;

create or replace trigger transactions_changed after update on transactions referencing old table as before new table
  as changed for each statement execute function keep_collected_sums();
create or replace trigger transactions_made_paid after insert on transactions for each row when (new.paid_at is not null)
  execute function keep_collected_sums();
create or replace trigger transactions_removed after delete on transactions for each row when (old.paid_at is not null)
  execute function keep_collected_sums();
