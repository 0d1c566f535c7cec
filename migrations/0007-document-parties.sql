-- Who an invoice or a credit note was from and to when it was issued: what a tax invoice named, it goes on naming (VAT Act, sections 20
-- and 21). What was missing then is null, and documents show what is known of it by now.
create table document_parties (
  organisation_id text collate "C" not null references organisations,
  document_id text collate "C" not null,      -- of an invoice or of a credit note
  supplier_company_name text,
  supplier_address text,
  supplier_vat_number text,
  first_name text,
  last_name text,
  company text,
  address text,
  vat_number text,
  email text,
  primary key (organisation_id, document_id)
);
alter table document_parties enable row level security;
alter table document_parties force row level security;
create policy tenant on document_parties using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on document_parties to tefo_app;
