-- Tells a line that is exempt from VAT from one that is zero-rated: both have a rate of 0. A credit note without lines has its own mark.
alter table invoice_lines add column tax_exempt boolean not null default false;
alter table invoice_lines add constraint invoice_lines_tax_exempt check (not tax_exempt or tax_rate = 0) not valid;
alter table quote_lines add column tax_exempt boolean not null default false;
alter table quote_lines add constraint quote_lines_tax_exempt check (not tax_exempt or tax_rate = 0) not valid;
alter table credit_note_lines add column tax_exempt boolean not null default false;
alter table credit_note_lines add constraint credit_note_lines_tax_exempt check (not tax_exempt or tax_rate = 0) not valid;
alter table credit_notes add column tax_exempt boolean not null default false;
alter table credit_notes add constraint credit_notes_tax_exempt check (not tax_exempt or coalesce(tax_rate = 0, false)) not valid;
