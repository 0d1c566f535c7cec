-- The South African day of a moment.
create or replace function day_of(at timestamptz) returns date language sql immutable parallel safe
  return ((at at time zone 'UTC') + interval '2 hours')::date;
