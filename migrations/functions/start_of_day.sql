-- When a South African day begins.
create or replace function start_of_day(day date) returns timestamptz language sql immutable parallel safe
  return (day::timestamp - interval '2 hours') at time zone 'UTC';
