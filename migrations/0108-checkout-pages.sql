-- How an organisation's checkout pages look and what they ask for; without a row the defaults.
create table checkout_pages (
  organisation_id text collate "C" primary key references organisations,
  design jsonb not null
);
alter table checkout_pages enable row level security;
alter table checkout_pages force row level security;
create policy tenant on checkout_pages using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on checkout_pages to tefo_app;
