-- What each ledger account of money holds of an organisation, by currency and gateway account, computed from the journal: what `money_sums`
-- must say (tefo verify).
create or replace function money_sums_of(p_organisation text)
 returns table (account text, currency text, held_by text, amount_cents bigint) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select l.account, l.currency, coalesce(l.gateway_account_id, ''), sum(l.amount_cents)::bigint from journal_lines l
   where l.organisation_id = p_organisation
     and l.account in ('bank_reconciled', 'bank', 'gateway_clearing', 'gateway_fees', 'bank_charges', 'own_transfers')
   group by 1, 2, 3;
end $$;
