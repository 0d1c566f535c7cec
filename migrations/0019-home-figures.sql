-- What the home page counts of thousands of rows is read from indexes alone.
create index invoices_drafts on invoices (organisation_id, currency) include (total_cents, created_at) where status = 'draft';
drop index mandates_due;
create index mandates_due on mandates (organisation_id, next_debit_date, id) include (amount_cents, subscription_id)
  where next_debit_date is not null;
