-- Erases what was kept of an erased customer, after its time; also the customer's words on matched lines of bank statements.
-- Made by `npm run generate` from record.ts of the modules: change what they declare.
create or replace function erase_kept(p_organisation text, p_customer text, p_sealed_account text) returns void
  language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  subjects text[] := subjects_of_customer(p_organisation, p_customer);
  lines text[] := bank_lines_of_customer(p_organisation, p_customer);
begin
  update transactions set description = null
   where organisation_id = p_organisation and id = any (subjects);
  update refunds set reason = null
   where organisation_id = p_organisation and transaction_id = any (subjects);
  update reconciliation_items set description = 'erased', reference = null
   where organisation_id = p_organisation and id = any (lines);
  update journal_entries e set description = 'Credit note ' || n.number || ': erased' from credit_notes n
     where e.organisation_id = p_organisation and n.organisation_id = p_organisation and e.kind = 'credit_note'
       and e.subject = n.id and n.id = any (subjects);
  update journal_entries set description = subject where organisation_id = p_organisation and kind = 'payment'
            and subject = any (subjects);
  update journal_entries set description = 'Credit paid out'
     where organisation_id = p_organisation and kind = 'credit_refund' and subject = any (subjects);
  update journal_entries set description = 'Bank statement: erased'
     where organisation_id = p_organisation and kind = 'bank_match'
       and subject in (select a.match_id || ':' || a.place from reconciliation_allocations a
                       where a.organisation_id = p_organisation and a.item_id = any (lines));
  update journal_entries set description = 'Undone: Bank statement: erased'
     where organisation_id = p_organisation and kind = 'bank_match_reversal'
       and subject in (select a.match_id || ':' || a.place from reconciliation_allocations a
                       where a.organisation_id = p_organisation and a.item_id = any (lines));
  update invoice_lines set description = 'erased', details = null
   where organisation_id = p_organisation and invoice_id = any (subjects);
  update invoice_payments set reference = 'erased'
   where organisation_id = p_organisation and id in (select a.subject from reconciliation_allocations a where a.organisation_id = p_organisation
        and a.item_id = any (lines) and a.kind = 'invoice_payment' and a.recorded);
  update invoices set notes = null
   where organisation_id = p_organisation and id = any (subjects);
  update credit_note_lines set description = 'erased'
   where organisation_id = p_organisation and credit_note_id = any (subjects);
  update credit_notes set reason = 'erased'
   where organisation_id = p_organisation and id = any (subjects);
  update credit_refunds set reason = null
   where organisation_id = p_organisation and id = any (subjects);
  update document_parties set first_name = null, last_name = null, company = null, address = null, vat_number = null, email = null
   where organisation_id = p_organisation and document_id = any (subjects);
  update mandates set account_holder = 'erased', account_number_sealed = p_sealed_account, id_number_sealed = null, account_number_last4 = '0000', id_number_last4 = null, notes = null, e_mandate_url = null, description = 'erased'
   where organisation_id = p_organisation and id = any (subjects);
  update mandate_agreements set document = 'erased', notes = null, signer_name = null, signer_address = null, signer_user_agent = null, document_sha256 = sha256('erased')
   where organisation_id = p_organisation and id = any (subjects);
  update audit_log set before = before || '{"description": "erased", "reference": null}',
           after = after || '{"description": "erased", "reference": null}'
     where organisation_id = p_organisation and subject = any (lines);
  delete from revisions r where r.organisation_id = p_organisation and r.subject = any (subjects)
       and r.number < (select max(s.number) from revisions s where s.organisation_id = p_organisation and s.subject = r.subject);
  update revisions r set facts = r.facts || (select jsonb_object_agg(f.key, to_jsonb(m) -> f.key)
                                                    from jsonb_object_keys(r.facts) f(key))
      from mandates m where r.organisation_id = p_organisation and m.organisation_id = p_organisation
          and m.id = r.subject and m.customer_id = p_customer;
  update revisions r set facts = r.facts || (select jsonb_object_agg(f.key, to_jsonb(a) -> f.key)
                                                    from jsonb_object_keys(r.facts) f(key))
      from mandate_agreements a where r.organisation_id = p_organisation and a.organisation_id = p_organisation and a.id = r.subject
       and a.id = any (subjects);
end $$;
revoke execute on function erase_kept from public;
grant execute on function erase_kept to tefo_app;
