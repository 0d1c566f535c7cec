-- The ids and references of all records of a customer.
-- Made by `npm run generate` from record.ts of the modules: change what they declare.
create or replace function subjects_of_customer(p_organisation text, p_customer text) returns text[]
language plpgsql stable as $$
begin
  return (select array_agg(s.id) from (
    select id from payment_links where organisation_id = p_organisation and customer_id = p_customer
    union
    select unnest(array[t.id, t.reference, t.eft_order_id]) from transactions t
        where t.organisation_id = p_organisation and t.customer_id = p_customer
     union select unnest(array[t.id, t.reference, t.eft_order_id]) from invoices i
      join transactions t on t.organisation_id = p_organisation and t.invoice_id = i.id
     where i.organisation_id = p_organisation and i.customer_id = p_customer
    union
    select id from gateway_subscriptions where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from subscription_migrations where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from disputes where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from invoices where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from credit_notes where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from credit_refunds where organisation_id = p_organisation and customer_id = p_customer
    union
    select p_customer
    union
    select id from quotes where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from eft_orders where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from card_setups where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from cards where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from checkout_sessions where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from mandates where organisation_id = p_organisation and customer_id = p_customer
    union
    select a.id from mandates m join mandate_agreements a on a.organisation_id = p_organisation and a.mandate_id = m.id
     where m.organisation_id = p_organisation and m.customer_id = p_customer
    union
    select id from card_charges where organisation_id = p_organisation and customer_id = p_customer
    union
    select id from customer_subscriptions where organisation_id = p_organisation and customer_id = p_customer) s(id)
   where s.id is not null);
end $$;
