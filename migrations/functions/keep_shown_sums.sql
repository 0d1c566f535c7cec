-- Keeps the sums of what lines of bank statements show (`recorded` of day_sums): credit of customers that came in, and transfers and
-- recorded payments on another day than the line's, which are taken off that day and added to the line's. Whoever matches lines, or undoes
-- that, has locked the reconciliation of the organisation. As a statement, because two lines may show one payment.
create or replace function keep_shown_sums() returns trigger language plpgsql as $$
declare
  moves jsonb := '[]';
  tenant text;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op <> 'DELETE' then
    select coalesce(jsonb_agg(jsonb_build_object('organisation', organisation_id, 'kind', kind, 'subject', subject, 'item', item_id,
                                                 'cents', amount_cents, 'sign', 1)), '[]')
      into moves from changed
     where posted and undone_at is null and not recorded and kind in ('payment', 'invoice_payment', 'customer_credit');
  end if;
  if tg_op <> 'INSERT' then
    select moves || coalesce(jsonb_agg(jsonb_build_object('organisation', organisation_id, 'kind', kind, 'subject', subject, 'item', item_id,
                                                          'cents', amount_cents, 'sign', -1)), '[]')
      into moves from before
     where posted and undone_at is null and not recorded and kind in ('payment', 'invoice_payment', 'customer_credit');
  end if;
  for tenant in select distinct m.organisation from jsonb_to_recordset(moves) m(organisation text) loop
    with moved as materialized (
      select m.kind, m.subject, i.date as shown_on, r.currency, m.sign * m.cents as cents, m.sign, p.paid_on, p.paid_cents
        from jsonb_to_recordset(moves) m(organisation text, kind text, subject text, item text, cents bigint, sign integer)
        join reconciliation_items i on i.organisation_id = tenant and i.id = m.item
        join reconciliation_runs r on r.organisation_id = tenant and r.id = i.run_id
        left join lateral (
          select day_of(t.paid_at) as paid_on, t.amount_cents as paid_cents from transactions t
           where m.kind = 'payment' and t.organisation_id = tenant and t.id = m.subject and t.type = 'eft'
          union all
          select day_of(y.paid_at), y.amount_cents from invoice_payments y
           where m.kind = 'invoice_payment' and y.organisation_id = tenant and y.id = m.subject and y.source = 'offline') p on true
       where m.organisation = tenant and (m.kind = 'customer_credit' or p.paid_on <> i.date)),
    taken as (
      select g.currency, g.paid_on, g.cents, g.paid_cents - s.cents as left_now, g.paid_cents - s.cents + g.cents as left_before
        from (select kind, subject, currency, paid_on, paid_cents, sum(cents) as cents from moved where paid_on is not null
               group by 1, 2, 3, 4, 5) g
       cross join lateral (
         select coalesce(sum(a.amount_cents), 0) as cents from reconciliation_allocations a
           join reconciliation_items i on i.organisation_id = tenant and i.id = a.item_id
          where a.organisation_id = tenant and a.subject = g.subject and a.kind = g.kind and a.posted and a.undone_at is null
            and not a.recorded and i.date <> g.paid_on) s),
    parts as (
      select currency, shown_on as day, cents, sign as records from moved
      union all
      select currency, paid_on, -cents, (left_now <> 0)::integer - (left_before <> 0)::integer from taken)
    insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
    select tenant, 'recorded', currency, day, pg_backend_pid(), sum(cents)::bigint, sum(records)::bigint from parts
     group by currency, day having sum(cents) <> 0 or sum(records) <> 0 order by day, currency
    on conflict (organisation_id, figure, day, currency, slot) do update
      set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  end loop;
  return null;
end $$;

create or replace trigger reconciliation_allocations_summed after insert on reconciliation_allocations referencing new table as changed
  for each statement execute function keep_shown_sums();
create or replace trigger reconciliation_allocations_resummed after update on reconciliation_allocations referencing old table as before
  new table as changed for each statement execute function keep_shown_sums();
create or replace trigger reconciliation_allocations_unsummed after delete on reconciliation_allocations referencing old table as before
  for each statement execute function keep_shown_sums();
