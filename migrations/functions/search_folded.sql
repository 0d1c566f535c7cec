-- A text in lower case and without accents.
create or replace function search_folded(given text) returns text language sql immutable parallel safe as $$
  select lower(regexp_replace(normalize(given, NFD), '[\u0300-\u036f]', '', 'g'))
$$;
