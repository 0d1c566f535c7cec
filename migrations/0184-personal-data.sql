-- Erasures of customers: when, what was erased, and what is kept for its time.
create table erasures (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  erased_at timestamptz not null,
  erased jsonb not null,
  kept jsonb not null,
  -- What the law says to keep is kept until the end of this day.
  kept_until date,
  kept_erased_at timestamptz,
  primary key (organisation_id, customer_id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);
alter table erasures enable row level security;
alter table erasures force row level security;
create policy tenant on erasures using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update on erasures to tefo_app;

-- A JSON value without what is personal in it, by the names of its fields.
create function without_personal(value jsonb) returns jsonb
 language plpgsql immutable parallel safe
as $function$
begin
  case jsonb_typeof(value)
    when 'object' then
      return (select coalesce(jsonb_object_agg(f.key, case
          when f.key = any ('{metadata,prefill,entered}') then case jsonb_typeof(f.value) when 'object' then '{}'::jsonb else 'null'::jsonb end
          when f.key = any ('{email,payerEmail,payer_email,customerEmail,firstName,first_name,lastName,last_name,company,companyName,phone,address,vatNumber,vat_number,holderName,holder_name,payerName,payer_name,accountHolder,account_holder,signerName,signer_name,notes,recipient,recipients,ip,text,html}')
            and jsonb_typeof(f.value) in ('string', 'array') then 'null'::jsonb
          else without_personal(f.value) end), '{}'::jsonb) from jsonb_each(value) f);
    when 'array' then
      return (select coalesce(jsonb_agg(without_personal(e.value) order by e.place), '[]'::jsonb)
                from jsonb_array_elements(value) with ordinality as e(value, place));
    else
      return value;
  end case;
end $function$;

-- The ids and references of all records of a customer.
create function subjects_of_customer(p_organisation text, p_customer text) returns text[]
 language sql stable
as $function$
  with paid as (
    select t.id, t.reference, t.eft_order_id from transactions t where t.organisation_id = p_organisation and t.customer_id = p_customer
    union
    select t.id, t.reference, t.eft_order_id from invoices i join transactions t on t.organisation_id = p_organisation and t.invoice_id = i.id
     where i.organisation_id = p_organisation and i.customer_id = p_customer)
  select array_agg(id) from (
    select p_customer as id
    union select id from invoices where organisation_id = p_organisation and customer_id = p_customer
    union select id from quotes where organisation_id = p_organisation and customer_id = p_customer
    union select id from credit_notes where organisation_id = p_organisation and customer_id = p_customer
    union select id from credit_refunds where organisation_id = p_organisation and customer_id = p_customer
    union select id from payment_links where organisation_id = p_organisation and customer_id = p_customer
    union select id from cards where organisation_id = p_organisation and customer_id = p_customer
    union select id from card_setups where organisation_id = p_organisation and customer_id = p_customer
    union select id from card_charges where organisation_id = p_organisation and customer_id = p_customer
    union select id from mandates where organisation_id = p_organisation and customer_id = p_customer
    union select a.id from mandates m join mandate_agreements a on a.organisation_id = p_organisation and a.mandate_id = m.id
           where m.organisation_id = p_organisation and m.customer_id = p_customer
    union select id from customer_subscriptions where organisation_id = p_organisation and customer_id = p_customer
    union select id from gateway_subscriptions where organisation_id = p_organisation and customer_id = p_customer
    union select id from subscription_migrations where organisation_id = p_organisation and customer_id = p_customer
    union select id from checkout_sessions where organisation_id = p_organisation and customer_id = p_customer
    union select id from eft_orders where organisation_id = p_organisation and customer_id = p_customer
    union select eft_order_id from paid where eft_order_id is not null
    union select id from paid
    union select reference from paid) s
$function$;

-- Erases what is held of a customer, but what the law says to keep, and answers how many rows of each table were changed. As the owner of the tables, since some can
-- only grow. The caller has locked the customer and set the organisation, whose rows alone are seen.
create function erase_customer(p_organisation text, p_customer text, p_sealed_nothing text) returns jsonb
 language plpgsql security definer set search_path to 'public', 'pg_temp' set timezone to 'UTC'
as $function$
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
  update eft_orders set payer_email = null, metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('eftOrders', n);
  update gateway_subscriptions set payer_email = null, metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  update subscription_migrations set payer_name = 'erased', email = 'erased' where organisation_id = p_organisation and id = any (subjects);
  update cards set holder_name = null, fingerprint = null, token_sealed = p_sealed_nothing where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('cards', n);
  update card_setups set metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  update revisions set facts = facts || (select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(erased_facts) e where facts ? e.key)
   where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('revisions', n);
  update checkout_sessions set prefill = '{}', entered = '{}', metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('checkoutSessions', n);
  delete from portal_sessions where organisation_id = p_organisation and customer_id = p_customer;
  delete from portal_links where organisation_id = p_organisation and customer_id = p_customer;
  update quotes set notes = null where organisation_id = p_organisation and id = any (subjects);
  update quote_lines set details = null where organisation_id = p_organisation and quote_id = any (subjects);
  update payment_links set metadata = '{}', description = null where organisation_id = p_organisation and id = any (subjects);
  update invoices set metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
  update customer_subscriptions set metadata = '{}' where organisation_id = p_organisation and id = any (subjects);
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
  delete from notes where organisation_id = p_organisation and subject = any (subjects);
  get diagnostics n = row_count; counts := counts || jsonb_build_object('notes', n);
  update customers set external_reference = null, email = null, first_name = null, last_name = null, company = null, vat_number = null,
         phone = null, address = null, metadata = '{}', active = false, standing = 'suspended'
   where organisation_id = p_organisation and id = p_customer;
  return counts;
end $function$;

-- Erases what was kept of an erased customer, after its time.
create function erase_kept(p_organisation text, p_customer text, p_sealed_account text) returns void
 language plpgsql security definer set search_path to 'public', 'pg_temp' set timezone to 'UTC'
as $function$
declare
  subjects text[] := subjects_of_customer(p_organisation, p_customer);
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
end $function$;

revoke execute on function erase_customer from public;
grant execute on function erase_customer to tefo_app;
revoke execute on function erase_kept from public;
grant execute on function erase_kept to tefo_app;
