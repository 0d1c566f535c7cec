-- A mandate that collects a customer subscription may debit several invoices on one date: each is a part of the date, counted from 1.
alter table debits add column part smallint not null default 1 check (part >= 1);
create unique index debits_mandate_date_part on debits (organisation_id, mandate_id, debit_date, part);
alter table debits drop constraint debits_organisation_id_mandate_id_debit_date_key;
-- The newest date of a mandate that counts as unpaid: several debits of one date count once.
alter table mandates add column last_unpaid_date date;
-- An attempt of which no bank was asked after all: its debit was withdrawn or refused before.
alter table collection_attempts drop constraint collection_attempts_status_check;
alter table collection_attempts add constraint collection_attempts_status_check
  check (status in ('pending', 'complete', 'failed', 'cancelled')) not valid;
alter table collection_attempts drop constraint collection_attempts_check;
alter table collection_attempts add constraint collection_attempts_check
  check ((status in ('failed', 'cancelled')) = (reason is not null)) not valid;
