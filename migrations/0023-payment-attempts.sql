-- Why a payment was declined, and why a collected debit was returned unpaid (src/domain/decline-reasons.ts); null of what the version before
-- declined, whose words the reports do not read again.
alter table transactions add column decline_reason text collate "C";
create index transactions_declined on transactions (organisation_id, id) where status = 'failed' or decline_reason is not null;

-- Debits that were returned unpaid are declined, also those that had been collected.
do $$
declare
  tenant text;
begin
  for tenant in select id from organisations loop
    update transactions t
       set decline_reason = case
         when d.unpaid_code in ('02', '22') then 'insufficient_funds'
         when d.unpaid_code in ('04', '30', '32', '34', '36', 'disputed') then 'stopped_by_payer'
         when d.unpaid_code in ('06', '08', '10', '12', '14', '16', '18', '26') then 'account_closed'
         when d.unpaid_code in ('03', '56', '60') then 'not_permitted'
         else 'other' end
      from debits d
     where t.organisation_id = tenant and d.organisation_id = tenant and d.unpaid_at is not null and t.id = d.transaction_id;
  end loop;
end $$;
