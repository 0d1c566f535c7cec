-- The tenant of each table is compared with that of the inserted row, not with another table's column: the planner of a distributed PostgreSQL
-- sees by itself that all rows are on one node.
create or replace function date_journal_line() returns trigger language plpgsql as $function$
begin
  select e.occurred_at, case when new.account in ('gateway_clearing', 'gateway_fees') then coalesce(t.gateway_account_id, u.gateway_account_id) end
    into new.occurred_at, new.gateway_account_id
    from journal_entries e
    left join transactions t on t.organisation_id = new.organisation_id and e.kind = 'payment' and t.reference = e.subject
    left join refunds r on r.organisation_id = new.organisation_id and e.kind in ('refund', 'refund_reversal') and r.id = e.subject
    left join transactions u on u.organisation_id = new.organisation_id and u.id = r.transaction_id
   where e.organisation_id = new.organisation_id and e.id = new.entry_id;
  return new;
end $function$;
