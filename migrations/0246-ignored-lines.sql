-- Lines of statements that staff have said are none of the organisation's, and why.
alter table reconciliation_items add column ignored_because text;
alter table reconciliation_items drop constraint reconciliation_items_status_check;
alter table reconciliation_items add constraint reconciliation_items_status_check
  check (status in ('matched', 'unmatched', 'not_received', 'duplicate', 'ignored')) not valid;
alter table reconciliation_items drop constraint reconciliation_items_check1;
alter table reconciliation_items add constraint reconciliation_items_decided_check
  check ((matched_at is not null) = (status in ('matched', 'ignored'))) not valid;
alter table reconciliation_items add constraint reconciliation_items_ignored_check
  check ((ignored_because is not null) = (status = 'ignored')) not valid;
