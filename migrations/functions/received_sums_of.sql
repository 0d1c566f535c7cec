-- What `day_sums` must say of an organisation's days about money that came and went besides the payments in `collected` (receipts_of).
create or replace function received_sums_of(p_organisation text, p_from date, p_to date)
 returns table (figure text, currency text, day date, amount_cents bigint, records bigint) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select 'recorded', x.currency, x.day, sum(x.cents)::bigint, sum(x.records)::bigint
    from (
      select r.currency, r.day, r.amount_cents as cents, 1 as records from receipts_of(p_organisation, p_from, p_to) r
       where r.kind in ('recorded', 'bank_line')
      union all
      -- What lines of other days show of transfers is not of the day on which these were paid.
      select t.currency, day_of(t.paid_at), -m.cents, -(m.cents = t.amount_cents)::integer
        from transactions t
       cross join lateral (
         select sum(a.amount_cents)::bigint as cents from reconciliation_allocations a
           join reconciliation_items i on i.organisation_id = p_organisation and i.id = a.item_id
          where a.organisation_id = p_organisation and a.subject = t.id and a.kind = 'payment' and a.posted and a.undone_at is null
            and i.date <> day_of(t.paid_at)) m
       where t.organisation_id = p_organisation and t.type = 'eft' and t.paid_at >= start_of_day(p_from)
         and t.paid_at < start_of_day(p_to + 1) and m.cents <> 0) x
   group by 2, 3
  union all
  select case r.kind when 'refund' then 'refunded' else 'reversed' end, r.currency, r.day, -sum(r.amount_cents)::bigint, count(*)
    from receipts_of(p_organisation, p_from, p_to) r where r.kind in ('refund', 'reversal') group by 1, 2, 3;
end $$;
