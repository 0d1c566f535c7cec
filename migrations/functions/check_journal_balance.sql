-- Refuses a change of the journal after which an entry does not balance: what a statement changes or removes must balance by itself.
create or replace function check_journal_balance() returns trigger
language plpgsql as $$
declare
  unbalanced text;
begin
  if tg_op = 'DELETE' then
    select entry_id into unbalanced from removed group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  else
    select entry_id into unbalanced
      from (select organisation_id, entry_id, currency, amount_cents from posted
            union all select organisation_id, entry_id, currency, -amount_cents from removed) changed
     group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  end if;
  if found then raise exception 'journal entry % does not balance', unbalanced using errcode = 'check_violation'; end if;
  return null;
end $$;

create or replace trigger journal_lines_changed after update on journal_lines referencing old table as removed new table
  as posted for each statement execute function check_journal_balance();
create or replace trigger journal_lines_removed after delete on journal_lines referencing old table as removed for each statement
  execute function check_journal_balance();
