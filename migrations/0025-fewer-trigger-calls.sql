-- Whether the release before needs this trigger is decided before its function is called. A database of many nodes has none.
drop trigger if exists journal_lines_kept on journal_lines;
do $$
begin
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  create trigger journal_lines_kept after insert on journal_lines
    referencing new table as posted for each statement
    when (current_setting('app.keeps_balances', true) is distinct from 'on') execute function keep_customer_balances();
end $$;
