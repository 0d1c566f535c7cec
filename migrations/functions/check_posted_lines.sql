-- Refuses posted lines that do not balance, or whose month is closed (decisions.md#entries-balance-by-statement), and keeps what the ledger
-- accounts of money hold (money_sums; each connection writes rows of its own, as in add_to_day). One trigger for all: each look at the lines
-- costs an invoice more than the sum itself, and an invoice posts to none of these accounts.
create or replace function check_posted_lines() returns trigger
language plpgsql as $$
declare
  balanced boolean;
  moves_money boolean;
  moved record;
  tenant text;
  last_tenant text;
  earliest timestamptz;
  unbalanced text;
begin
  -- Nearly always the lines of one entry in one currency, whose sum costs less than a sum for each entry.
  select sum(amount_cents) = 0 and min(entry_id) = max(entry_id) and min(currency) = max(currency),
         min(organisation_id), max(organisation_id), min(occurred_at),
         bool_or(account in ('bank_reconciled', 'bank', 'gateway_clearing', 'gateway_fees', 'bank_charges', 'own_transfers'))
    into balanced, tenant, last_tenant, earliest, moves_money from posted;
  if not balanced then
    select entry_id into unbalanced from posted group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
    if found then raise exception 'journal entry % does not balance', unbalanced using errcode = 'check_violation'; end if;
  end if;
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock: the months closed after them, and the sums
  if moves_money then
    for moved in
      select p.organisation_id, p.account, p.currency, coalesce(p.gateway_account_id, '') as held_by, sum(p.amount_cents)::bigint as cents
        from posted p where p.account in ('bank_reconciled', 'bank', 'gateway_clearing', 'gateway_fees', 'bank_charges', 'own_transfers')
       group by 1, 2, 3, 4
    loop
      insert into money_sums as s (organisation_id, account, currency, held_by, slot, amount_cents)
      values (moved.organisation_id, moved.account, moved.currency, moved.held_by, pg_backend_pid(), moved.cents)
      on conflict (organisation_id, account, currency, held_by, slot) do update set amount_cents = s.amount_cents + excluded.amount_cents;
    end loop;
  end if;
  if tenant = last_tenant then
    if earliest < (select (max(m.month) + interval '1 month')::timestamp at time zone 'Africa/Johannesburg' from accounting_months m
                    where m.organisation_id = tenant) then
      raise exception 'a journal entry is posted into a closed month';
    end if;
    return null;
  end if;
  for tenant, earliest in select p.organisation_id, min(p.occurred_at) from posted p group by p.organisation_id loop
    if earliest < (select (max(m.month) + interval '1 month')::timestamp at time zone 'Africa/Johannesburg' from accounting_months m
                    where m.organisation_id = tenant) then
      raise exception 'a journal entry is posted into a closed month';
    end if;
  end loop;
  return null;
end $$;

create or replace trigger journal_lines_posted after insert on journal_lines referencing new table as posted for each statement
  execute function check_posted_lines();
