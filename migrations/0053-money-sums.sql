-- Where the money is: what each ledger account of money holds, kept as the journal is written (functions/check_posted_lines.sql), since it
-- is all that was ever posted, and a home page does not add that up.
-- functions: all_organisations, money_sums_of, check_posted_lines

create table money_sums (
  organisation_id text collate "C" not null references organisations,
  account text collate "C" not null
    check (account = any ('{bank_reconciled,bank,gateway_clearing,gateway_fees,bank_charges,own_transfers}')),
  currency text not null,
  held_by text collate "C" not null,            -- the gateway account of the lines; empty: they name none
  slot integer not null check (slot >= 0),      -- as of day_sums
  amount_cents bigint not null,
  primary key (organisation_id, account, currency, held_by, slot)
) with (fillfactor = 50);
create index money_sums_new on money_sums (organisation_id) where slot > 0;
alter table money_sums enable row level security;
alter table money_sums force row level security;
create policy tenant on money_sums using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on money_sums to tefo_app;
create policy gate on money_sums for select to tefo_gate using (true);
grant select on money_sums to tefo_gate;

-- The trigger of check_posted_lines keeps writers of the journal out until this commits.
do $$
declare
  tenant text;
begin
  for tenant in select id from all_organisations() loop
    perform set_config('app.organisation_id', tenant, true);
    insert into money_sums (organisation_id, account, currency, held_by, slot, amount_cents)
    select tenant, s.account, s.currency, s.held_by, 0, s.amount_cents from money_sums_of(tenant) s where s.amount_cents <> 0;
  end loop;
  perform set_config('app.organisation_id', '', true);
end $$;
