-- Keeps awaited_payments when lines of a statement show payments, hundreds at a time. Whoever matches lines, or undoes that, has locked the
-- reconciliation of the organisation.
create or replace function keep_shown_awaited() returns trigger language plpgsql as $$
declare
  tenant text;
  shown text[];
  removed bigint;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  for tenant, shown in
    select organisation_id, array_agg(distinct subject order by subject) from changed where kind = 'payment' and undone_at is null group by 1
  loop
    delete from awaited_payments w where w.organisation_id = tenant and w.ctid = any (array(
      select (select k.ctid from awaited_payments k where k.organisation_id = tenant and k.transaction_id = s.id limit 1) from unnest(shown) s(id)));
    get diagnostics removed = row_count;
    continue when removed = cardinality(shown);
    -- One that is becoming paid in another transaction is waited for: that does not see what is shown here.
    perform p.id from unnest(shown) s(id) cross join lateral (
      select t.id from transactions t
       where t.organisation_id = tenant and t.id = s.id and t.type in ('eft', 'debit_order') and t.paid_at is null limit 1 for no key update) p;
    delete from awaited_payments w where w.organisation_id = tenant and w.ctid = any (array(
      select (select k.ctid from awaited_payments k where k.organisation_id = tenant and k.transaction_id = s.id limit 1) from unnest(shown) s(id)));
  end loop;
  return null;
end $$;

create or replace trigger reconciliation_allocations_shown after insert on reconciliation_allocations referencing new table
  as changed for each statement execute function keep_shown_awaited();
