-- Deferred revenue is read from the lines whose period ends in a month or after it.
create index invoice_lines_period on invoice_lines (organisation_id, period_end, invoice_id) where period_end is not null;
