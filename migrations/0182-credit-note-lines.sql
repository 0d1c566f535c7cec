-- Lines of credit notes that correct several VAT rates. A note without lines has one rate of its own.
create table credit_note_lines (
  organisation_id text collate "C" not null,
  credit_note_id text collate "C" not null,
  line smallint not null check (line > 0),
  description text not null,
  tax_rate numeric not null check (tax_rate between 0 and 100),
  tax_cents bigint not null,
  amount_cents bigint not null check (amount_cents > 0),
  primary key (organisation_id, credit_note_id, line),
  foreign key (organisation_id, credit_note_id) references credit_notes (organisation_id, id),
  check (tax_cents between 0 and amount_cents)
);
alter table credit_note_lines enable row level security;
alter table credit_note_lines force row level security;
create policy tenant on credit_note_lines using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on credit_note_lines to tefo_app;
alter table credit_notes alter column tax_rate drop not null;
