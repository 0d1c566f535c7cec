-- Every release that may still run keeps balances itself (decision 97): these triggers did it for those before.
drop trigger if exists journal_lines_kept on journal_lines;
drop trigger if exists invoices_kept on invoices;
drop function if exists keep_customer_balances();
drop function if exists keep_open_invoice_totals();
