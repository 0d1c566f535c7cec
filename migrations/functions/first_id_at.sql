-- First id of its kind at a moment: the head of 48 bits of milliseconds, as src/kernel/ids.ts writes it.
create or replace function first_id_at(prefix text, at timestamptz) returns text language plpgsql immutable as $$
declare
  ms bigint := floor(extract(epoch from at) * 1000);
  text_of text := '';
begin
  if prefix = 'evt' then return 'evt_' || lpad(to_hex(ms), 12, '0'); end if;
  for i in 1..10 loop
    text_of := substr('0123456789abcdefghjkmnpqrstvwxyz', (ms % 32)::int + 1, 1) || text_of;
    ms := ms / 32;
  end loop;
  return prefix || '_' || text_of;
end $$;
