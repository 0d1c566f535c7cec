-- Sorts invoices by the day on which they are due; those without one stand after all others.
create index invoices_due on invoices (organisation_id, coalesce(due_date, 'infinity'::date), id);
