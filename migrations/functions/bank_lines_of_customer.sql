-- The ids of the lines of bank statements that are matched with a customer's records, also of the same lines imported again.
create or replace function bank_lines_of_customer(p_organisation text, p_customer text) returns text[]
language plpgsql stable as $$
declare
  known text[] := subjects_of_customer(p_organisation, p_customer);
begin
  return (with subjects as (
    select unnest(known) as id),
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
      and i.date = m.date and i.amount_cents = m.amount_cents) l);
end $$;
