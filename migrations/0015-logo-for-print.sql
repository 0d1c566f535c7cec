-- The logo as PDFs hold it, decoded once: null until then, empty when it cannot be drawn.
alter table organisation_settings add column logo_print bytea;
