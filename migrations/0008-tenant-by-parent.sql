-- A foreign key to organisations takes a shared lock on the organisation's one row for every row written. Where a composite key to a parent
-- record, never null, carries the organisation, it guarantees the same and is the only one.
alter table portal_links drop constraint portal_links_organisation_id_fkey;
alter table portal_sessions drop constraint portal_sessions_organisation_id_fkey;
alter table transactions drop constraint transactions_organisation_id_fkey;
alter table refunds drop constraint refunds_organisation_id_fkey;
alter table journal_lines drop constraint journal_lines_organisation_id_fkey;
alter table invoices drop constraint invoices_organisation_id_fkey;
alter table invoice_lines drop constraint invoice_lines_organisation_id_fkey;
alter table invoice_payments drop constraint invoice_payments_organisation_id_fkey;
alter table quotes drop constraint quotes_organisation_id_fkey;
alter table quote_lines drop constraint quote_lines_organisation_id_fkey;
alter table credit_notes drop constraint credit_notes_organisation_id_fkey;
alter table credit_note_applications drop constraint credit_note_applications_organisation_id_fkey;
alter table eft_orders drop constraint eft_orders_organisation_id_fkey;
alter table eft_proofs drop constraint eft_proofs_organisation_id_fkey;
alter table sandbox_payments drop constraint sandbox_payments_organisation_id_fkey;
alter table sandbox_refunds drop constraint sandbox_refunds_organisation_id_fkey;
