-- Apart from their making, so that writes wait for it no longer than for a moment.
alter table invoice_lines validate constraint invoice_lines_tax_exempt;
alter table quote_lines validate constraint quote_lines_tax_exempt;
alter table credit_note_lines validate constraint credit_note_lines_tax_exempt;
alter table credit_notes validate constraint credit_notes_tax_exempt;
