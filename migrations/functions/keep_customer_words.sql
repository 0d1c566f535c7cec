-- Keeps the words of a customer (customer_words), by which it is found. Why they are kept: the search shows results within 400 ms among a
-- million customers (target 500 ms, `npm run bench -- --only dashboard-list`), by an index of words that begins with the organisation; one
-- of text search has no tenant in front, and would read the customers of all.
create or replace function keep_customer_words() returns trigger language plpgsql as $$
declare
  words bigint;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op = 'UPDATE' then
    delete from customer_words where organisation_id = new.organisation_id and customer_id = new.id;
  end if;
  with kept as (
    insert into customer_words (organisation_id, customer_id, word)
    select new.organisation_id, new.id, w.word
      from search_words(array[new.first_name, new.last_name, new.company, new.email, new.external_reference, new.account_code]
        || phone_words(new.phone)) w(word)
    returning word)
  select count(*) into words from kept;
  return null;
end $$;

create or replace trigger customers_made after insert on customers for each row execute function keep_customer_words();
create or replace trigger customers_named after update on customers for each row
  when (old.first_name is distinct from new.first_name or old.last_name is distinct from new.last_name
  or old.company is distinct from new.company or old.email is distinct from new.email
  or old.external_reference is distinct from new.external_reference
  or old.phone is distinct from new.phone) execute function keep_customer_words();
