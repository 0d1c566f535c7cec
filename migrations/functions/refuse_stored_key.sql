-- Fails: the Idempotency-Key was claimed before.
create or replace function refuse_stored_key() returns void language plpgsql as $$
begin
  raise exception 'stored' using errcode = 'TEFO1';
end $$;
