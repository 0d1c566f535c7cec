-- What an invoice of a customer subscription bills, and which bill of it it is.
alter table invoices add column charge text collate "C" check (charge in ('first', 'cycle', 'recovery', 'setup', 'proration'));
alter table invoices add column cycle integer check (cycle >= 0);
