-- What became of each row of an imported file, what staff should look at, and statements that were withdrawn.
alter table reconciliation_runs add column row_counts jsonb;
alter table reconciliation_runs add column warnings jsonb not null default '[]';
alter table reconciliation_runs add column withdrawn_at timestamptz;
alter table reconciliation_runs add column withdrawn_by text;
alter table reconciliation_runs add constraint reconciliation_runs_withdrawn_check check ((withdrawn_at is null) = (withdrawn_by is null)) not valid;

-- A hash of the account and the bank's own id of the line; null where the file has none that can be trusted.
alter table reconciliation_items add column bank_key bytea;
create index reconciliation_items_bank on reconciliation_items (organisation_id, bank_key) where bank_key is not null;

-- The same line imported again may have another text, when the bank's id says that it is the same.
create or replace function bank_lines_of_customer(p_organisation text, p_customer text) returns text[]
 language sql stable
as $function$
  with subjects as (
    select unnest(subjects_of_customer(p_organisation, p_customer)) as id),
  records as (
    select id from subjects
    union select y.id from subjects s join invoice_payments y on y.organisation_id = p_organisation and y.invoice_id = s.id
    union select b.id from subjects s join refunds b on b.organisation_id = p_organisation and b.transaction_id = s.id
    union select w.id from subjects s join reversals w on w.organisation_id = p_organisation and w.transaction_id = s.id),
  matched as (
    select i.id, i.line_key, i.bank_key, i.date, i.amount_cents from records r
      join reconciliation_allocations a on a.organisation_id = p_organisation and a.subject = r.id and a.undone_at is null
      join reconciliation_items i on i.organisation_id = p_organisation and i.id = a.item_id)
  select coalesce(array_agg(distinct id), '{}') from (
    select id from matched
    -- The same line imported again.
    union select i.id from matched m join reconciliation_items i on i.organisation_id = p_organisation and i.line_key = m.line_key
    union select i.id from matched m join reconciliation_items i on i.organisation_id = p_organisation and i.bank_key = m.bank_key
      and i.date = m.date and i.amount_cents = m.amount_cents) l
$function$;
