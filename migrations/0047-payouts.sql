-- The lines of bank statements that are payouts of gateways, as their list reads them.
create index reconciliation_allocations_payouts on reconciliation_allocations (organisation_id, item_id)
  where kind = 'payout' and undone_at is null;
