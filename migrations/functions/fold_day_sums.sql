-- Brings together what connections have written for an organisation, except what is being written now.
create or replace function fold_day_sums(p_organisation text) returns void language plpgsql as $$
begin
  with written as (
    select figure, day, currency, slot from day_sums where organisation_id = p_organisation and slot > 0 for update skip locked),
  taken as (
    delete from day_sums s using written w
     where s.organisation_id = p_organisation and s.figure = w.figure and s.day = w.day and s.currency = w.currency and s.slot = w.slot
    returning s.figure, s.currency, s.day, s.amount_cents, s.records)
  insert into day_sums as s (organisation_id, figure, currency, day, slot, amount_cents, records)
  select p_organisation, t.figure, t.currency, t.day, 0, sum(t.amount_cents)::bigint, sum(t.records)::bigint
    from taken t group by 2, 3, 4 order by 2, 4, 3
  on conflict (organisation_id, figure, day, currency, slot) do update
    set amount_cents = s.amount_cents + excluded.amount_cents, records = s.records + excluded.records;
  delete from day_sums where organisation_id = p_organisation and slot = 0 and amount_cents = 0 and records = 0;
end $$;
