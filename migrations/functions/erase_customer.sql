-- Erases what is held of a customer, but what the law says to keep, and answers how many rows of each table were changed. Runs as the owner
-- of the tables, since some can only grow. The caller has locked the customer and set the organisation, whose rows alone are seen.
-- Made by `npm run generate` from record.ts of the modules: change what they declare.
create or replace function erase_customer(p_organisation text, p_customer text, p_sealed_nothing text) returns jsonb
  language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' as $$
declare
  subjects text[] := subjects_of_customer(p_organisation, p_customer);
  lines text[] := bank_lines_of_customer(p_organisation, p_customer);
  mail text := (select lower(email) from customers where organisation_id = p_organisation and id = p_customer);
  counts jsonb := '{}';
  n bigint;
begin
  update payment_links set metadata = '{}', description = null, title = 'erased'
   where organisation_id = p_organisation and id = any (subjects);
  update transactions set payer_email = null, metadata = '{}', handoff_sealed = null
   where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('payments', n);
  update gateway_subscriptions set payer_email = null, metadata = '{}', description = null
   where organisation_id = p_organisation and id = any (subjects);
  update subscription_migrations set payer_name = 'erased', email = 'erased'
   where organisation_id = p_organisation and id = any (subjects);
  delete from dispute_evidence
   where organisation_id = p_organisation and dispute_id = any (subjects);
  update gateway_notifications set fact = without_personal(fact), handle_sealed = null
   where organisation_id = p_organisation and reference = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('gatewayNotifications', n);
  update invoices set metadata = '{}'
   where organisation_id = p_organisation and id = any (subjects);
  update customers set external_reference = null, email = null, first_name = null, last_name = null, company = null, vat_number = null, phone = null, address = null, metadata = '{}', active = false, standing = 'suspended'
   where organisation_id = p_organisation and id = p_customer;
  update quote_lines set details = null, description = 'erased'
   where organisation_id = p_organisation and quote_id = any (subjects);
  update quotes set accepted_by = null, notes = null
   where organisation_id = p_organisation and id = any (subjects);
  delete from portal_links
   where organisation_id = p_organisation and customer_id = p_customer;
  delete from portal_sessions
   where organisation_id = p_organisation and customer_id = p_customer;
  update eft_orders set payer_email = null, metadata = '{}', description = null, rejection_reason = null
   where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('eftOrders', n);
  delete from eft_proofs
   where organisation_id = p_organisation and order_id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('proofs', n);
  update card_setups set metadata = '{}'
   where organisation_id = p_organisation and id = any (subjects);
  update cards set holder_name = null, fingerprint = null, token_sealed = p_sealed_nothing
   where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('cards', n);
  update checkout_sessions set prefill = '{}', entered = '{}', metadata = '{}'
   where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('checkoutSessions', n);
  update debits set held_reason = null
   where organisation_id = p_organisation and mandate_id = any (subjects);
  update customer_subscriptions set metadata = '{}', cancel_reason = null
   where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('subscriptions', n);
  update usage_events set properties = '{}'
   where organisation_id = p_organisation and customer_subscription_id = any (subjects);
  update events set data = without_personal(data::jsonb)::json
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('events', n);
  delete from notes
   where organisation_id = p_organisation and subject = any (subjects || lines);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('notes', n);
  update audit_log set before = without_personal(before), after = without_personal(after), ip = case when actor_kind = 'payer' then null else ip end
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('auditEntries', n);
  delete from clock_snapshot_rows
   where organisation_id = p_organisation and true;
  delete from clock_snapshots
   where organisation_id = p_organisation and true;
  update sandbox_payments set details = without_personal(details)
   where organisation_id = p_organisation and reference = any (subjects);
  update sandbox_subscriptions set details = without_personal(details)
   where organisation_id = p_organisation and reference = any (subjects);
  delete from due_work where organisation_id = p_organisation and kind in ('mail.send', 'mail.compose')
      and subject in (select m.id from emails m where m.organisation_id = p_organisation
              and (m.about = any (subjects) or m.recipients && array[mail]));
  update emails set recipients = '{}', reply_to = null, from_name = '', subject = '', text_body = '', html_body = '', facts = null, secret_sealed = null, error = null, status = case when status in ('queued', 'sending') then 'recorded' else status end
   where organisation_id = p_organisation and (about = any (subjects) or recipients && array[mail]);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('mails', n);
  delete from due_work where organisation_id = p_organisation and kind in ('message.send')
      and subject in (select m.id from messages m where m.organisation_id = p_organisation
              and (m.about = any (subjects) or m.customer_id = p_customer));
  update messages set recipient = '', body = '', parts = null, error = null, status = case when status in ('queued', 'sending') then 'failed' else status end
   where organisation_id = p_organisation and (about = any (subjects) or customer_id = p_customer);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('messages', n);
  update webhook_deliveries set body = without_personal(body::jsonb)::text, attempts = (select coalesce(jsonb_agg(a.value || '{"responseExcerpt": null}' order by a.place), '[]')
          from jsonb_array_elements(attempts) with ordinality as a(value, place))
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('deliveries', n);
  update revisions set facts = facts || (select coalesce(jsonb_object_agg(e.key, e.value), '{}')
          from jsonb_each('{"holder_name": null, "fingerprint": null, "payer_email": null, "payer_name": "erased",
          "email": "erased", "metadata": {}}') e where facts ? e.key)
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('revisions', n);
  update revisions r set facts = r.facts || '{"description": null}' from gateway_subscriptions g
     where r.organisation_id = p_organisation and g.organisation_id = p_organisation and g.id = r.subject and g.id = any (subjects);
  return counts;
end $$;
revoke execute on function erase_customer from public;
grant execute on function erase_customer to tefo_app;
