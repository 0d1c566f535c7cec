-- How people look for a telephone number: as it was written, in digits alone, with a plus, and a South African one also with 0 in place of 27.
create or replace function phone_words(phone text) returns text[] language sql immutable parallel safe as $$
  select case when phone is null then '{}' else array[phone, d.digits, '+' || d.digits, regexp_replace(d.digits, '^27(?=\d{9}$)', '0')] end
    from (select regexp_replace(phone, '\D', '', 'g') as digits) d
$$;
