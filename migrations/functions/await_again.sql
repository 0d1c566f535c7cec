-- Adds a payment that is awaited again. One that is becoming paid in another transaction is waited for: that does not see what has changed
-- here.
create or replace function await_again(p_organisation text, p_transaction text) returns void language plpgsql as $$
begin
  perform from transactions where organisation_id = p_organisation and id = p_transaction and type in ('eft', 'debit_order') and paid_at is null
    for no key update;
  insert into awaited_payments (organisation_id, transaction_id, type, currency, gateway_account_id, paid_at)
  select t.organisation_id, t.id, t.type, t.currency, t.gateway_account_id, t.paid_at from transactions t
   where t.organisation_id = p_organisation and t.id = p_transaction and t.type in ('eft', 'debit_order') and t.paid_at is not null
     and not exists (select from reconciliation_allocations a
                      where a.organisation_id = p_organisation and a.subject = p_transaction and a.undone_at is null)
  on conflict do nothing;
end $$;
