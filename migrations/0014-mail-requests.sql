-- A mail is one row that says what is asked for; the worker writes what it says. What is not written yet has facts, and else subject and body.
alter table emails alter column from_name drop not null;
alter table emails alter column subject drop not null;
alter table emails alter column text_body drop not null;
alter table emails alter column html_body drop not null;
alter table emails add column about text collate "C";
alter table emails add column facts jsonb;
alter table emails add column secret_sealed text;
alter table emails add constraint emails_written_check
  check (num_nonnulls(from_name, subject, text_body, html_body) = case when facts is null then 4 else 0 end) not valid;
alter table emails add constraint emails_secret_check check (secret_sealed is null or facts is not null) not valid;
alter table emails validate constraint emails_written_check;
alter table emails validate constraint emails_secret_check;
