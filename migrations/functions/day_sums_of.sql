-- The sums of an organisation's days, computed from its records: what `day_sums` must say (tefo verify).
create or replace function day_sums_of(p_organisation text, p_from date, p_to date)
 returns table (figure text, currency text, day date, amount_cents bigint, records bigint) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select 'open', o.currency, o.due_date, sum(o.open_cents)::bigint, sum(o.open_invoices)
    from open_invoice_totals o where o.organisation_id = p_organisation and o.due_date between p_from and p_to group by 2, 3
  union all
  select f.figure, t.currency, day_of(t.paid_at), sum(t.amount_cents)::bigint, count(*)
    from transactions t cross join lateral (values ('collected', true), ('debits', t.type = 'debit_order')) f(figure, counts)
   where t.organisation_id = p_organisation and t.paid_at >= start_of_day(p_from) and t.paid_at < start_of_day(p_to + 1) and f.counts group by 1, 2, 3
  union all
  select f.figure, t.currency, day_of(t.paid_at), sum(least(f.taken, t.amount_cents))::bigint, count(*) filter (where f.taken >= t.amount_cents)
    from (select transaction_id, sum(reversed)::bigint as reversed, sum(returned)::bigint as returned
            from (select transaction_id, amount_cents as reversed, amount_cents as returned
                    from reversals where organisation_id = p_organisation and reversed_at is not null
                  union all
                  select transaction_id, 0, amount_cents from refunds where organisation_id = p_organisation and status <> 'failed') x
           group by 1) taken
    -- One look-up for each debit, also where nothing is known of the tables yet: a plan that adds up what was taken for each transaction takes hours.
   cross join lateral (select * from transactions where organisation_id = p_organisation and id = taken.transaction_id limit 1) t
   cross join lateral (values ('debits_reversed', taken.reversed), ('debits_returned', taken.returned)) f(figure, taken)
   where t.type = 'debit_order' and t.paid_at >= start_of_day(p_from) and t.paid_at < start_of_day(p_to + 1) and f.taken > 0 group by 1, 2, 3
  union all
  select r.figure, r.currency, r.day, r.amount_cents, r.records from received_sums_of(p_organisation, p_from, p_to) r
  union all
  select 'recurring', s.state -> 'terms' -> 'price' ->> 'currency', 'infinity', sum(s.mrr_cents)::bigint, count(*)
    from customer_subscriptions s
   where s.organisation_id = p_organisation and s.mrr_cents <> 0 and p_to = 'infinity' group by 2;
end $$;
