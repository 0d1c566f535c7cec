-- The words by which staff look for a customer: of names, company, e-mail address and the merchant's reference. A word is as it was written
-- between spaces and signs such as commas, and its parts between any signs; in lower case and without accents.
create function search_folded(given text) returns text language sql immutable parallel safe as $$
  select lower(regexp_replace(normalize(given, NFD), '[\u0300-\u036f]', '', 'g'))
$$;
create function search_words(given text[]) returns setof text language sql immutable parallel safe as $$
  select distinct left(word, 100) from unnest(given) g(value)
   cross join lateral (select search_folded(g.value) as value) f
   cross join lateral (select regexp_split_to_table(f.value, '[\s,;()"]+') as word union all select regexp_split_to_table(f.value, '[^[:alnum:]]+')) words
   where word <> ''
$$;

create table customer_words (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  word text collate "C" not null,
  primary key (organisation_id, customer_id, word),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id) on delete cascade
);
create index customer_words_word on customer_words (organisation_id, word, customer_id);
alter table customer_words enable row level security;
alter table customer_words force row level security;
create policy tenant on customer_words using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, delete on customer_words to tefo_app;

-- Whoever changes a customer, its words follow.
create function keep_customer_words() returns trigger language plpgsql as $function$
begin
  if tg_op = 'UPDATE' then
    delete from customer_words where organisation_id = new.organisation_id and customer_id = new.id;
  end if;
  insert into customer_words (organisation_id, customer_id, word)
  select new.organisation_id, new.id, w.word
    from search_words(array[new.first_name, new.last_name, new.company, new.email, new.external_reference, new.account_code]) w(word);
  return null;
end $function$;
create trigger customers_made after insert on customers for each row execute function keep_customer_words();
create trigger customers_named after update on customers for each row
  when (row(old.first_name, old.last_name, old.company, old.email, old.external_reference)
    is distinct from row(new.first_name, new.last_name, new.company, new.email, new.external_reference))
  execute function keep_customer_words();

-- What else staff look for: amounts, the merchant's references, the addresses of payers who are no customers.
create index invoices_total on invoices (organisation_id, total_cents, id);
create index quotes_total on quotes (organisation_id, total_cents, id);
create index transactions_amount on transactions (organisation_id, amount_cents, id);
create index transactions_external_reference on transactions (organisation_id, external_reference, id) where external_reference is not null;
create index transactions_payer on transactions (organisation_id, lower(payer_email) collate "C", id) where customer_id is null and payer_email is not null;
