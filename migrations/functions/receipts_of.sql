-- The money that customers paid and got back in some days (src/domain/receipts.ts), for functions of the database.
-- Made by `npm run generate` from src/domain/receipts.ts: change that.
create or replace function receipts_of(p_organisation text, p_from date, p_to date)
 returns table (record text, kind text, day date, amount_cents bigint, currency text, customer_id text, method text,
   reference text, path text)
 language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select t.id as record, 'payment' as kind, day_of(t.paid_at) as day, t.amount_cents - m.cents as amount_cents, t.currency, t.customer_id,
         case when t.type in ('eft', 'debit_order') then t.type else t.gateway_type end as method, t.reference,
         '/transactions/' || t.reference as path
    from transactions t
   cross join lateral (
     select case when t.type = 'eft' then coalesce((
       select sum(a.amount_cents) from reconciliation_allocations a
         join reconciliation_items i on i.organisation_id = p_organisation and i.id = a.item_id
        where a.organisation_id = p_organisation and a.subject = t.id and a.kind = 'payment' and a.posted and a.undone_at is null
          and i.date <> day_of(t.paid_at)), 0)::bigint else 0 end as cents) m
   where t.organisation_id = p_organisation and t.paid_at >= start_of_day(p_from::date) and t.paid_at < start_of_day(p_to::date + 1)
     and t.amount_cents <> m.cents
  union all
  select p.id, case when m.by_line then 'bank_line' else 'recorded' end, day_of(p.paid_at), p.amount_cents - m.cents, v.currency,
         v.customer_id, p.method, coalesce(p.reference, v.number), '/invoices/' || v.id
    from invoice_payments p join invoices v on v.organisation_id = p_organisation and v.id = p.invoice_id
   cross join lateral (
     select coalesce(sum(a.amount_cents) filter (where not a.recorded and i.date <> day_of(p.paid_at)), 0)::bigint as cents,
            coalesce(bool_or(a.recorded), false) as by_line
       from reconciliation_allocations a
       join reconciliation_items i on i.organisation_id = p_organisation and i.id = a.item_id
      where a.organisation_id = p_organisation and a.subject = p.id and a.kind = 'invoice_payment' and a.posted
         and a.undone_at is null) m
   where p.organisation_id = p_organisation and p.source = 'offline' and p.paid_at >= start_of_day(p_from::date)
     and p.paid_at < start_of_day(p_to::date + 1) and p.amount_cents <> m.cents
  union all
  select a.match_id || ':' || a.place, 'bank_line', i.date, a.amount_cents, r.currency,
         case a.kind when 'payment' then t.customer_id when 'invoice_payment' then v.customer_id else a.subject end, 'eft',
         coalesce(nullif(i.reference, ''), i.description), '/reconciliation/items/' || i.id
    from reconciliation_items i
    join reconciliation_runs r on r.organisation_id = p_organisation and r.id = i.run_id
    join reconciliation_allocations a
      on a.organisation_id = p_organisation and a.item_id = i.id and a.posted and a.undone_at is null
    left join transactions t on t.organisation_id = p_organisation and a.kind = 'payment' and t.id = a.subject
    left join invoice_payments p on p.organisation_id = p_organisation and a.kind = 'invoice_payment' and p.id = a.subject
    left join invoices v on v.organisation_id = p_organisation and v.id = p.invoice_id
   where i.organisation_id = p_organisation and i.match_id is not null and i.date between p_from::date and p_to::date
     and (a.kind = 'customer_credit' or t.type = 'eft' and i.date <> day_of(t.paid_at)
          or p.source = 'offline' and not a.recorded and i.date <> day_of(p.paid_at))
  union all
  select b.id, 'refund', day_of(b.created_at), -b.amount_cents, b.currency, t.customer_id,
         case when b.method <> 'gateway' then b.method when t.type in ('eft', 'debit_order') then t.type else t.gateway_type end,
         b.refund_number, '/transactions/' || t.reference
    from refunds b join transactions t on t.organisation_id = p_organisation and t.id = b.transaction_id
   where b.organisation_id = p_organisation and b.status in ('pending', 'processed') and b.created_at >= start_of_day(p_from::date)
     and b.created_at < start_of_day(p_to::date + 1)
  union all
  select k.id, 'refund', day_of(k.created_at), -k.amount_cents, k.currency, k.customer_id, k.method, k.reason,
         '/customers/' || k.customer_id
    from credit_refunds k
   where k.organisation_id = p_organisation and k.created_at >= start_of_day(p_from::date)
     and k.created_at < start_of_day(p_to::date + 1)
  union all
  select w.id, 'reversal', day_of(w.reversed_at), -w.amount_cents, t.currency, t.customer_id,
         case when t.type in ('eft', 'debit_order') then t.type else t.gateway_type end, t.reference, '/transactions/' || t.reference
    from reversals w join transactions t on t.organisation_id = p_organisation and t.id = w.transaction_id
   where w.organisation_id = p_organisation and w.reversed_at >= start_of_day(p_from::date)
     and w.reversed_at < start_of_day(p_to::date + 1);
end $$;
