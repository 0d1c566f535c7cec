-- What 0005, 0008, 0023 and 0038 were to fill from the rows of before: row level security hid these from an owner of the tables who is no
-- superuser, so nothing was filled. Where it was filled, this changes nothing.
-- functions: all_organisations, receipts_of, received_sums_of, search_folded, search_words, phone_words

-- Writers, whose triggers add to the sums, wait until this commits.
lock table invoice_payments, reconciliation_allocations, reconciliation_items, refunds, credit_refunds, reversals in share row exclusive mode;

do $$
declare
  tenant text;
begin
  for tenant in select id from all_organisations() loop
    perform set_config('app.organisation_id', tenant, true);

    delete from day_sums where organisation_id = tenant and figure in ('recorded', 'refunded', 'reversed');
    insert into day_sums (organisation_id, figure, currency, day, slot, amount_cents, records)
    select tenant, s.figure, s.currency, s.day, 0, s.amount_cents, s.records from received_sums_of(tenant, '-infinity', 'infinity') s
     where s.amount_cents <> 0 or s.records <> 0;

    insert into customer_words (organisation_id, customer_id, word)
    select c.organisation_id, c.id, w.word from customers c cross join lateral search_words(phone_words(c.phone)) w(word)
     where c.organisation_id = tenant and c.phone is not null
    on conflict do nothing;

    update transactions t
       set decline_reason = case
         when d.unpaid_code in ('02', '22') then 'insufficient_funds'
         when d.unpaid_code in ('04', '30', '32', '34', '36', 'disputed') then 'stopped_by_payer'
         when d.unpaid_code in ('06', '08', '10', '12', '14', '16', '18', '26') then 'account_closed'
         when d.unpaid_code in ('03', '56', '60') then 'not_permitted'
         else 'other' end
      from debits d
     where t.organisation_id = tenant and d.organisation_id = tenant and d.unpaid_at is not null and t.id = d.transaction_id
       and t.decline_reason is null;

    insert into undone_invoice_payments (organisation_id, id, invoice_id, amount_cents, paid_at, undone_at)
    select tenant, a.subject, a.invoice_id, a.amount_cents, e.occurred_at, a.undone_at from reconciliation_allocations a
      join journal_entries e on e.organisation_id = tenant and e.kind = 'offline_payment' and e.subject = a.subject
     where a.organisation_id = tenant and a.kind = 'invoice_payment' and a.recorded and a.undone_at is not null
       and a.invoice_id is not null
    on conflict do nothing;
  end loop;
  perform set_config('app.organisation_id', '', true);
end $$;
