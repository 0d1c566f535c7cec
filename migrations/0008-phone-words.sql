-- functions: search_folded, search_words, phone_words
-- Staff also find a customer by telephone number.

insert into customer_words (organisation_id, customer_id, word)
select c.organisation_id, c.id, w.word from customers c cross join lateral search_words(phone_words(c.phone)) w(word)
 where c.phone is not null
on conflict do nothing;
