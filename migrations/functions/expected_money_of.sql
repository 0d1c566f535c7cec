-- The money that is expected in some days, by kind, currency and day. invoices: what is due of open invoices, on their due dates, without
-- what a pending debit or charge is collecting. debits: batches that banks have not decided, on their action dates, mandates that are
-- debited next, and renewals by debit order. cards: renewals by card, at what their prices come to with VAT.
create or replace function expected_money_of(p_organisation text, p_from date, p_to date)
 returns table (kind text, currency text, day date, amount_cents bigint, records integer) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select x.kind, x.currency, x.day, sum(x.cents)::bigint, sum(x.records)::integer
    from (
      select 'invoices' as kind, s.currency, s.day, s.amount_cents as cents, s.records from day_sums s
       where s.organisation_id = p_organisation and s.figure = 'open' and s.day between p_from and p_to
      union all
      select 'invoices', i.currency, i.due_date, -least(t.amount_cents, i.total_cents - i.paid_cents),
             -(t.amount_cents >= i.total_cents - i.paid_cents)::integer
        from transactions t join invoices i on i.organisation_id = p_organisation and i.id = t.invoice_id
       where t.organisation_id = p_organisation and t.status = 'pending' and t.type in ('debit_order', 'card_debit')
         and i.due_date between p_from and p_to and i.status in ('sent', 'overdue', 'partially_paid')
      union all
      select 'debits', 'ZAR', b.action_date, b.amount_cents, b.debits from debit_batches b
       where b.organisation_id = p_organisation and b.status in ('open', 'submitting', 'submitted') and b.debits > 0
         and b.action_date between p_from and p_to
      union all
      select 'debits', 'ZAR', m.next_debit_date, sum(m.amount_cents)::bigint, count(*) from mandates m
       where m.organisation_id = p_organisation and m.next_debit_date between p_from and p_to and m.subscription_id is null
       group by m.next_debit_date
      union all
      select case s.collection_method when 'debit_order' then 'debits' else 'cards' end, s.state -> 'terms' -> 'price' ->> 'currency', s.next_due,
             round(s.mrr_cents * f.months * (1 + v.tax_rate / 100))::bigint, 1
        from customer_subscriptions s
        join plan_versions v on v.organisation_id = p_organisation and v.id = s.plan_version_id
        join (values ('monthly', 1), ('quarterly', 3), ('biannually', 6), ('annually', 12)) f(frequency, months)
          on f.frequency = v.frequency
       where s.organisation_id = p_organisation and s.next_due between p_from and p_to and s.mrr_cents > 0 and s.status = 'active'
         and s.collection_method in ('gateway', 'debit_order') and s.state ->> 'cancelAtPeriodEnd' is distinct from 'true') x
   group by 1, 2, 3 having sum(x.cents) > 0 order by 1, 2, 3;
end $$;
