-- The words by which staff look for a customer. A word is as it was written between spaces and signs such as commas, and its parts between
-- any signs.
create or replace function search_words(given text[]) returns setof text language sql immutable parallel safe as $$
  select distinct left(word, 100) from unnest(given) g(value)
   cross join lateral (select search_folded(g.value) as value) f
   cross join lateral (select regexp_split_to_table(f.value, '[\s,;()"]+') as word union all select regexp_split_to_table(f.value, '[^[:alnum:]]+')) words
   where word <> ''
$$;
