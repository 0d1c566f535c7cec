-- Agreements that customers sign online: the document as it was shown, and the evidence of the signature.
create table mandate_agreements (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  mandate_id text collate "C" not null,
  status text collate "C" not null check (status in ('open', 'signed', 'cancelled', 'expired')),
  token_hash bytea not null,                     -- SHA-256 of the token in the sign URL
  document text not null,
  document_sha256 bytea not null,
  notes text,
  emailed boolean not null,
  expires_at timestamptz not null,
  signed_at timestamptz,
  signer_name text,
  consent_text text,
  signer_address text collate "C",
  signer_user_agent text,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, token_hash),
  foreign key (organisation_id, mandate_id) references mandates (organisation_id, id),
  check ((status = 'signed') = (signed_at is not null)),
  check ((status = 'signed') = (signer_name is not null)),
  check ((status = 'signed') = (consent_text is not null))
);
create index mandate_agreements_mandate on mandate_agreements (organisation_id, mandate_id, id);
create unique index mandate_agreements_open on mandate_agreements (organisation_id, mandate_id) where status = 'open';
alter table mandate_agreements enable row level security;
alter table mandate_agreements force row level security;
create policy tenant on mandate_agreements using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on mandate_agreements to tefo_app;
