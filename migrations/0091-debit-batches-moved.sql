-- The action date that a batch had before it was sent too late for it.
alter table debit_batches add column moved_from date;
