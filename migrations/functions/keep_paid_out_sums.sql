-- Keeps the sums of credit that was paid out to customers (add_to_day): it is `refunded` on the day of the payout.
create or replace function keep_paid_out_sums() returns trigger language plpgsql as $$
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op <> 'INSERT' then
    perform add_to_day(old.organisation_id, 'refunded', old.currency, day_of(old.created_at), -old.amount_cents, -1);
  end if;
  if tg_op <> 'DELETE' then
    perform add_to_day(new.organisation_id, 'refunded', new.currency, day_of(new.created_at), new.amount_cents, 1);
  end if;
  return null;
end $$;

create or replace trigger credit_refunds_kept after insert or delete on credit_refunds for each row execute function keep_paid_out_sums();
create or replace trigger credit_refunds_changed after update on credit_refunds for each row
  when ((new.amount_cents, new.created_at, new.currency) is distinct from (old.amount_cents, old.created_at, old.currency))
  execute function keep_paid_out_sums();
