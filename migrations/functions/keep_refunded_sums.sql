-- Keeps what was refunded of debits (add_to_taken), and by the day on which it was (add_to_day): a refund that a gateway was only asked for
-- has not been made.
create or replace function keep_refunded_sums() returns trigger language plpgsql as $$
declare
  was bigint := 0;
  is_now bigint := 0;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op <> 'INSERT' and old.status <> 'failed' then was := old.amount_cents; end if;
  if tg_op <> 'DELETE' and new.status <> 'failed' then is_now := new.amount_cents; end if;
  perform add_to_taken(coalesce(new.organisation_id, old.organisation_id), coalesce(new.transaction_id, old.transaction_id), 0, is_now - was);
  if tg_op <> 'INSERT' and old.status in ('pending', 'processed') then
    perform add_to_day(old.organisation_id, 'refunded', old.currency, day_of(old.created_at), -old.amount_cents, -1);
  end if;
  if tg_op <> 'DELETE' and new.status in ('pending', 'processed') then
    perform add_to_day(new.organisation_id, 'refunded', new.currency, day_of(new.created_at), new.amount_cents, 1);
  end if;
  return null;
end $$;

create or replace trigger refunds_kept after insert or delete or update on refunds for each row execute function keep_refunded_sums();
