-- Keeps what banks took back of debits (add_to_taken), and by the day on which that was booked (add_to_day).
create or replace function keep_reversed_sums() returns trigger language plpgsql as $$
declare
  was bigint := 0;
  is_now bigint := 0;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op <> 'INSERT' and old.reversed_at is not null then was := old.amount_cents; end if;
  if tg_op <> 'DELETE' and new.reversed_at is not null then is_now := new.amount_cents; end if;
  perform add_to_taken(coalesce(new.organisation_id, old.organisation_id), coalesce(new.transaction_id, old.transaction_id), is_now - was, 0);
  if tg_op <> 'INSERT' and old.reversed_at is not null then
    perform add_to_day(old.organisation_id, 'reversed', t.currency, day_of(old.reversed_at), -old.amount_cents, -1) from transactions t
      where t.organisation_id = old.organisation_id and t.id = old.transaction_id;
  end if;
  if tg_op <> 'DELETE' and new.reversed_at is not null then
    perform add_to_day(new.organisation_id, 'reversed', t.currency, day_of(new.reversed_at), new.amount_cents, 1) from transactions t
      where t.organisation_id = new.organisation_id and t.id = new.transaction_id;
  end if;
  return null;
end $$;

create or replace trigger reversals_kept after insert or delete or update on reversals for each row execute function keep_reversed_sums();
