-- The name of the person who accepted a quote, as they gave it on its page; null of what was accepted before, or by staff.
alter table quotes add column accepted_by text;
alter table quotes add constraint quotes_accepted_by_check check (char_length(accepted_by) between 1 and 100) not valid;
alter table quotes validate constraint quotes_accepted_by_check;
