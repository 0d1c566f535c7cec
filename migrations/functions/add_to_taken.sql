-- Adds to what was taken of a debit. Whoever takes of a payment has locked it, and so sees what others took before.
create or replace function add_to_taken(p_organisation text, p_transaction text, p_reversed bigint, p_refunded bigint) returns void
language plpgsql as $$
declare
  debit record;
  reversed bigint;
  refunded bigint;
begin
  if p_reversed = 0 and p_refunded = 0 then return; end if;
  select t.currency, day_of(t.paid_at) as day, t.amount_cents into debit from transactions t
   where t.organisation_id = p_organisation and t.id = p_transaction and t.type = 'debit_order' and t.paid_at is not null for no key update;
  if not found then return; end if;
  select coalesce(sum(amount_cents), 0) into reversed from reversals
   where organisation_id = p_organisation and transaction_id = p_transaction and reversed_at is not null;
  select coalesce(sum(amount_cents), 0) into refunded from refunds
   where organisation_id = p_organisation and transaction_id = p_transaction and status <> 'failed';
  perform add_to_day(p_organisation, 'debits_' || f.figure, debit.currency, debit.day,
      least(f.taken, debit.amount_cents) - least(f.taken - f.more, debit.amount_cents),
      (f.taken >= debit.amount_cents)::integer - (f.taken - f.more >= debit.amount_cents)::integer)
    from (values ('reversed', reversed, p_reversed), ('returned', reversed + refunded, p_reversed + p_refunded)) f(figure, taken, more);
end $$;
