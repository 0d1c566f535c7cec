-- Validates the constraints of the migration before, while others read and write.
alter table invoices validate constraint invoices_check;
alter table invoices validate constraint invoices_status_check;
alter table invoice_lines validate constraint invoice_lines_check;
alter table payment_links validate constraint payment_links_check;
alter table payment_links validate constraint payment_links_recurring_frequency_check;
alter table journal_entries validate constraint journal_entries_kind_check;
alter table journal_lines validate constraint journal_lines_account_check;
alter table emails validate constraint emails_check;
alter table emails validate constraint emails_status_check;
alter table document_numbers validate constraint document_numbers_kind_check;
