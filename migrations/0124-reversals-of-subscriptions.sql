-- Whether what a bank took back must not be collected again by itself, such as a disputed debit (interface 16.20).
alter table reversals add column is_hard boolean not null default false;
-- An invoice whose payment was taken back is collected again only when somebody asks for it (interface 16.16).
alter table subscription_collections drop constraint subscription_collections_ended_check;
alter table subscription_collections add constraint subscription_collections_ended_check
  check (ended in ('paid', 'cancelled', 'stopped', 'given_up', 'taken_back')) not valid;
alter table subscription_collections validate constraint subscription_collections_ended_check;
