-- The merchant's words on a customer's records name people too: they are erased with the customer, or with what the law says to keep.
CREATE OR REPLACE FUNCTION public.without_personal(value jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
begin
  case jsonb_typeof(value)
    when 'object' then
      return (select coalesce(jsonb_object_agg(f.key, case
          when f.key = any ('{metadata,prefill,entered}') then case jsonb_typeof(f.value) when 'object' then '{}'::jsonb else 'null'::jsonb end
          when f.key = any ('{email,payerEmail,payer_email,customerEmail,firstName,first_name,lastName,last_name,company,companyName,phone,address,vatNumber,vat_number,holderName,holder_name,payerName,payer_name,accountHolder,account_holder,signerName,signer_name,notes,cancelReason,cancel_reason,rejectionReason,rejection_reason,recipient,recipients,ip,text,html}')
            and jsonb_typeof(f.value) in ('string', 'array') then 'null'::jsonb
          -- The merchant's own name of a person.
          when f.key = any ('{externalReference,external_reference}') and ($1 ? 'email' or $1 ->> 'id' like 'cus\_%') then 'null'::jsonb
          -- What must be there is replaced. A reason that is a code, such as insufficient_funds, names nobody.
          when f.key = any ('{title,description,details,reason}') and jsonb_typeof(f.value) = 'string'
            and not (f.key = 'reason' and f.value #>> '{}' ~ '^[a-z0-9_]+$') then '"erased"'::jsonb
          else without_personal(f.value) end), '{}'::jsonb) from jsonb_each(value) f);
    when 'array' then
      return (select coalesce(jsonb_agg(without_personal(e.value) order by e.place), '[]'::jsonb)
                from jsonb_array_elements(value) with ordinality as e(value, place));
    else
      return value;
  end case;
end $function$;

CREATE OR REPLACE FUNCTION public.erase_customer(p_organisation text, p_customer text, p_sealed_nothing text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET "TimeZone" TO 'UTC'
AS $function$
declare
  subjects text[] := subjects_of_customer(p_organisation, p_customer);
  mail text := (select lower(email) from customers where organisation_id = p_organisation and id = p_customer);
  counts jsonb := '{}';
  erased_facts jsonb := '{"holder_name": null, "fingerprint": null, "payer_email": null, "payer_name": "erased", "email": "erased", "metadata": {}}';
  n bigint;
begin
  update transactions set payer_email = null, metadata = '{}', handoff_sealed = null
   where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('payments', n);
  update gateway_notifications set fact = without_personal(fact), handle_sealed = null
   where organisation_id = p_organisation and reference = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('gatewayNotifications', n);
  delete from eft_proofs where organisation_id = p_organisation and order_id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('proofs', n);
  update eft_orders set payer_email = null, metadata = '{}', description = null, rejection_reason = null where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('eftOrders', n);
  update gateway_subscriptions set payer_email = null, metadata = '{}', description = null
   where organisation_id = p_organisation and id = any (subjects);
  update subscription_migrations set payer_name = 'erased', email = 'erased' where organisation_id = p_organisation and id = any (subjects);
  update cards set holder_name = null, fingerprint = null, token_sealed = p_sealed_nothing where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('cards', n);
  update card_setups set metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  update revisions set facts = facts || (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(erased_facts) e where facts ? e.key)
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('revisions', n);
  -- The descriptions of mandates are kept with them.
  update revisions r set facts = r.facts || '{"description": null}' from gateway_subscriptions g
   where r.organisation_id = p_organisation and g.organisation_id = p_organisation and g.id = r.subject and g.id = any (subjects);
  update checkout_sessions set prefill = '{}', entered = '{}', metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('checkoutSessions', n);
  delete from portal_sessions where organisation_id = p_organisation and customer_id = p_customer;
  delete from portal_links where organisation_id = p_organisation and customer_id = p_customer;
  update quotes set notes = null where organisation_id = p_organisation and id = any (subjects);
  update quote_lines set description = 'erased', details = null where organisation_id = p_organisation and quote_id = any (subjects);
  update payment_links set metadata = '{}', title = 'erased', description = null where organisation_id = p_organisation and id = any (subjects);
  update invoices set metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  update customer_subscriptions set metadata = '{}', cancel_reason = null where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('subscriptions', n);
  update sandbox_payments set details = without_personal(details) where organisation_id = p_organisation and reference = any (subjects);
  update sandbox_subscriptions set details = without_personal(details) where organisation_id = p_organisation and reference = any (subjects);
  delete from due_work w using emails m
   where w.organisation_id = p_organisation and m.organisation_id = p_organisation and w.subject = m.id and w.kind in ('mail.send', 'mail.compose')
     and (m.about = any (subjects) or m.recipients && array[mail]);
  update emails set status = 'recorded'
   where organisation_id = p_organisation and status in ('queued', 'sending') and (about = any (subjects) or recipients && array[mail]);
  update emails set recipients = '{}', reply_to = null, from_name = '', subject = '', text_body = '', html_body = '', facts = null,
         secret_sealed = null, error = null
   where organisation_id = p_organisation and (about = any (subjects) or recipients && array[mail]);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('mails', n);
  update events set data = without_personal(data::jsonb)::json where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('events', n);
  update webhook_deliveries set body = without_personal(body::jsonb)::text,
         attempts = (select coalesce(jsonb_agg(a.value || '{"responseExcerpt": null}' order by a.place), '[]')
                       from jsonb_array_elements(attempts) with ordinality as a(value, place))
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('deliveries', n);
  update audit_log set before = without_personal(before), after = without_personal(after)
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('auditEntries', n);
  update audit_log set ip = null where organisation_id = p_organisation and subject = any (subjects) and actor_kind = 'payer';
  delete from notes where organisation_id = p_organisation and subject = any (subjects || bank_lines_of_customer(p_organisation, p_customer));
  get diagnostics n = row_count; counts := counts || jsonb_build_object('notes', n);
  update customers set external_reference = null, email = null, first_name = null, last_name = null, company = null, vat_number = null,
         phone = null, address = null, metadata = '{}', active = false, standing = 'suspended'
   where organisation_id = p_organisation and id = p_customer;
  return counts;
end $function$;

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
  update invoice_lines set description = 'erased', details = null where organisation_id = p_organisation and invoice_id = any (subjects);
  update credit_notes set reason = 'erased' where organisation_id = p_organisation and id = any (subjects);
  update credit_note_lines set description = 'erased' where organisation_id = p_organisation and credit_note_id = any (subjects);
  update credit_refunds set reason = null where organisation_id = p_organisation and id = any (subjects);
  update transactions set description = null where organisation_id = p_organisation and id = any (subjects);
  update refunds set reason = null where organisation_id = p_organisation and transaction_id = any (subjects);
  update mandates set account_holder = 'erased', description = 'erased', account_number_sealed = p_sealed_account, account_number_last4 = '0000',
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
  update journal_entries e set description = 'Credit note ' || n.number || ': erased' from credit_notes n
   where e.organisation_id = p_organisation and n.organisation_id = p_organisation and e.kind = 'credit_note' and e.subject = n.id and n.id = any (subjects);
  update journal_entries set description = subject where organisation_id = p_organisation and kind = 'payment' and subject = any (subjects);
  update journal_entries set description = 'Credit paid out'
   where organisation_id = p_organisation and kind = 'credit_refund' and subject = any (subjects);
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
