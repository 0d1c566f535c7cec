-- What holds for each mail: it is written, or has the facts that it is written from; only then it may hold a secret. One call for the whole
-- row: a check for each column costs an insert more.
create or replace function is_valid_email(from_name text, subject text, text_body text, html_body text, facts jsonb, secret_sealed text)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return num_nonnulls(from_name, subject, text_body, html_body) = case when facts is null then 4 else 0 end
     and (secret_sealed is null or facts is not null);
end $$;
