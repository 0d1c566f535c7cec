-- Every line is in a status that there is, and those that are matched or ignored say when.
alter table reconciliation_items validate constraint reconciliation_items_status_check;
alter table reconciliation_items validate constraint reconciliation_items_decided_check;
alter table reconciliation_items validate constraint reconciliation_items_ignored_check;
