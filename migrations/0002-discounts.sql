-- Discounts of lines and documents, and drafts of invoices that are changed.

-- What a line's own discount takes off, and in percent when it was given so; and the line's share of the document's discount. Both are in the
-- terms of the price, and `amount_cents` is what is left: VAT, credit notes and the books are computed from it.
alter table invoice_lines add column discount_percent numeric;
alter table invoice_lines add column discount_cents bigint not null default 0;
alter table invoice_lines add column document_discount_cents bigint not null default 0;
alter table quote_lines add column discount_percent numeric;
alter table quote_lines add column discount_cents bigint not null default 0;
alter table quote_lines add column document_discount_cents bigint not null default 0;

-- What the document's own discount takes off: the sum of the lines' shares; and in percent when it was given so.
alter table invoices add column discount_percent numeric;
alter table invoices add column discount_cents bigint not null default 0;
alter table invoices add column edited_at timestamptz;             -- when the draft was changed last: it may differ from its quote since
alter table quotes add column discount_percent numeric;
alter table quotes add column discount_cents bigint not null default 0;
