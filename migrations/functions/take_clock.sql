-- Takes the clock of an organisation for a move, which waits for those that write due work (hold_clock); false after half a second, so that
-- those that came meanwhile pass: a long transaction, such as an import, would keep all others from writing, and one that holds the clock
-- could wait for another that waits for it behind the move.
create or replace function take_clock(p_organisation text) returns boolean language plpgsql set lock_timeout = '500ms' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('clock ' || p_organisation, 0));
  return true;
exception when lock_not_available then
  return false;
end $$;
