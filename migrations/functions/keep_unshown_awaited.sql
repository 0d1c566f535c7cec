-- Keeps awaited_payments when a match is undone. A payment that a bank took back since then is added too, and left out by who reads: its
-- reversal may not be seen here.
create or replace function keep_unshown_awaited() returns trigger language plpgsql as $$
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if old.undone_at is null then perform await_again(old.organisation_id, old.subject); end if;
  if tg_op = 'UPDATE' and new.undone_at is null then
    delete from awaited_payments where organisation_id = new.organisation_id and transaction_id = new.subject;
  end if;
  return null;
end $$;

create or replace trigger reconciliation_allocations_changed after update on reconciliation_allocations for each row
  when (old.subject is distinct from new.subject or old.undone_at is distinct from new.undone_at) execute function keep_unshown_awaited();
create or replace trigger reconciliation_allocations_removed after delete on reconciliation_allocations for each row
  when (old.subject is not null and old.undone_at is null) execute function keep_unshown_awaited();
