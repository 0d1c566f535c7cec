-- When the payer saw an invoice or a quote on its page, for the first and the last time.

create table document_views (
  organisation_id text collate "C" not null references organisations,
  document_id text collate "C" not null,        -- of an invoice or of a quote
  viewed_at timestamptz not null,
  last_viewed_at timestamptz not null,
  primary key (organisation_id, document_id),
  check (last_viewed_at >= viewed_at)
);
alter table document_views enable row level security;
alter table document_views force row level security;
create policy tenant on document_views using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, insert, update, delete on document_views to tefo_app;
