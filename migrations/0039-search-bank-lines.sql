-- Staff find lines of bank statements by amount and by reference.
create index reconciliation_items_amount on reconciliation_items (organisation_id, amount_cents, id);
create index reconciliation_items_reference on reconciliation_items (organisation_id, reference collate "C")
  where reference is not null;
