-- Names on lines of bank statements that are matched with an erased customer go with what the law says to keep.
create function bank_lines_of_customer(p_organisation text, p_customer text) returns text[]
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
    select i.id, i.line_key from records r
      join reconciliation_allocations a on a.organisation_id = p_organisation and a.subject = r.id and a.undone_at is null
      join reconciliation_items i on i.organisation_id = p_organisation and i.id = a.item_id)
  select coalesce(array_agg(distinct id), '{}') from (
    select id from matched
    -- The same line imported again.
    union select i.id from matched m join reconciliation_items i on i.organisation_id = p_organisation and i.line_key = m.line_key) l
$function$;

CREATE OR REPLACE FUNCTION public.erase_kept(p_organisation text, p_customer text, p_sealed_account text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  subjects text[] := subjects_of_customer(p_organisation, p_customer);
  lines text[] := bank_lines_of_customer(p_organisation, p_customer);
begin
  update document_parties set first_name = null, last_name = null, company = null, address = null, vat_number = null, email = null
   where organisation_id = p_organisation and document_id = any (subjects);
  update invoices set notes = null where organisation_id = p_organisation and id = any (subjects);
  update mandates set account_holder = 'erased', account_number_sealed = p_sealed_account, account_number_last4 = '0000',
         id_number_sealed = null, id_number_last4 = null, notes = null, e_mandate_url = null
   where organisation_id = p_organisation and id = any (subjects);
  update mandate_agreements set document = 'erased', document_sha256 = sha256('erased'), notes = null, signer_name = null,
         signer_address = null, signer_user_agent = null
   where organisation_id = p_organisation and id = any (subjects);
  -- The newest says what the record says; those before would say what it said.
  delete from revisions r where r.organisation_id = p_organisation and r.subject = any (subjects)
     and r.number < (select max(s.number) from revisions s where s.organisation_id = p_organisation and s.subject = r.subject);
  update revisions r set facts = r.facts || (select jsonb_object_agg(f.key, to_jsonb(m) -> f.key) from jsonb_object_keys(r.facts) f(key))
    from mandates m where r.organisation_id = p_organisation and m.organisation_id = p_organisation and m.id = r.subject and m.customer_id = p_customer;
  update revisions r set facts = r.facts || (select jsonb_object_agg(f.key, to_jsonb(a) -> f.key) from jsonb_object_keys(r.facts) f(key))
    from mandate_agreements a where r.organisation_id = p_organisation and a.organisation_id = p_organisation and a.id = r.subject
     and a.id = any (subjects);
  update journal_entries set description = 'Bank statement: erased'
   where organisation_id = p_organisation and kind = 'bank_match'
     and subject in (select a.match_id || ':' || a.place from reconciliation_allocations a where a.organisation_id = p_organisation and a.item_id = any (lines));
  update journal_entries set description = 'Undone: Bank statement: erased'
   where organisation_id = p_organisation and kind = 'bank_match_reversal'
     and subject in (select a.match_id || ':' || a.place from reconciliation_allocations a where a.organisation_id = p_organisation and a.item_id = any (lines));
  update invoice_payments set reference = 'erased'
   where organisation_id = p_organisation and id in (select a.subject from reconciliation_allocations a
          where a.organisation_id = p_organisation and a.item_id = any (lines) and a.kind = 'invoice_payment' and a.recorded);
  update audit_log set before = before || '{"description": "erased", "reference": null}', after = after || '{"description": "erased", "reference": null}'
   where organisation_id = p_organisation and subject = any (lines);
  update reconciliation_items set description = 'erased', reference = null
   where organisation_id = p_organisation and id = any (lines);
end $function$;
