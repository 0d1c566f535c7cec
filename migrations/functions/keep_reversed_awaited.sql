-- Keeps awaited_payments when banks take payments back. Whoever reverses a payment has locked it, and so sees what others took back before.
-- It does not wait for a statement that is being imported: when that has the payment's row here, the payment is shown.
create or replace function keep_reversed_awaited() returns trigger language plpgsql as $$
declare
  payment text := coalesce(new.transaction_id, old.transaction_id);
  organisation text := coalesce(new.organisation_id, old.organisation_id);
  less boolean := tg_op = 'DELETE' or tg_op = 'INSERT' and new.amount_cents < 0 or tg_op = 'UPDATE' and old.reversed_at is not null and (new.reversed_at is null or new.amount_cents < old.amount_cents);
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
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

create or replace trigger reversals_changed_awaited after update on reversals for each row
  when (old.reversed_at is distinct from new.reversed_at or old.amount_cents <> new.amount_cents) execute function keep_reversed_awaited();
create or replace trigger reversals_made_awaited after insert on reversals for each row when (new.reversed_at is not null)
  execute function keep_reversed_awaited();
create or replace trigger reversals_removed_awaited after delete on reversals for each row when (old.reversed_at is not null)
  execute function keep_reversed_awaited();
