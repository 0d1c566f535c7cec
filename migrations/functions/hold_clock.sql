-- Locks the clock of an organisation and answers the organisation: a move of the clock waits for who is writing work, and who comes later
-- waits for the move. No lock of the organisation's row: share locks would be granted past an update that waits for it, so that under
-- constant writes a move never got the row; and a distributed PostgreSQL locks the whole table for one, so that any two transactions
-- which did so were a deadlock.
create or replace function hold_clock(p_organisation text) returns organisations language plpgsql as $$
declare
  held organisations;
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('clock ' || p_organisation, 0));
  select * into held from organisations where id = p_organisation;
  return held;
end $$;
