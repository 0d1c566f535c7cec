-- Brings together what connections have written of an organisation's money, except what is being written now (fold_day_sums).
create or replace function fold_money_sums(p_organisation text) returns void language plpgsql as $$
begin
  with written as (
    select account, currency, held_by, slot from money_sums where organisation_id = p_organisation and slot > 0 for update skip locked),
  taken as (
    delete from money_sums s using written w
     where s.organisation_id = p_organisation and s.account = w.account and s.currency = w.currency and s.held_by = w.held_by and s.slot = w.slot
    returning s.account, s.currency, s.held_by, s.amount_cents)
  insert into money_sums as s (organisation_id, account, currency, held_by, slot, amount_cents)
  select p_organisation, t.account, t.currency, t.held_by, 0, sum(t.amount_cents)::bigint
    from taken t group by 2, 3, 4 order by 2, 3, 4
  on conflict (organisation_id, account, currency, held_by, slot) do update set amount_cents = s.amount_cents + excluded.amount_cents;
  delete from money_sums where organisation_id = p_organisation and slot = 0 and amount_cents = 0;
end $$;
