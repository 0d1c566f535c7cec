-- A move of an organisation's clock waits for a while for those that write due work, and then lets those pass that came meanwhile: a long transaction,
-- such as an import, would keep all others from writing, and one that holds the clock could wait for another one that waits for it behind the move.

create function take_clock(p_organisation text) returns boolean language plpgsql set lock_timeout = '500ms' as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('clock ' || p_organisation, 0));
  return true;
exception when lock_not_available then
  return false;
end $$;
