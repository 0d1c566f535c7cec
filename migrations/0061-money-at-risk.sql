-- What was collected by debit order, by the time at which it was: the sums of money at risk read this index alone.
create index transactions_debits on transactions (organisation_id, paid_at) include (id, currency, amount_cents)
  where type = 'debit_order' and paid_at is not null;
