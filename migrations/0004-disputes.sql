-- A reversal whose money came back has a second one of the opposite amount, which names it.
alter table reversals add column reversal_id text collate "C";
alter table reversals drop constraint reversals_amount_cents_check;
alter table reversals add constraint reversals_amount_cents_check
  check (amount_cents <> 0 and (amount_cents < 0) = (reversal_id is not null));
alter table reversals add foreign key (organisation_id, reversal_id) references reversals (organisation_id, id);
create unique index reversals_given_back on reversals (organisation_id, reversal_id) where reversal_id is not null;
alter table invoice_payments drop constraint invoice_payments_amount_of_source;
alter table invoice_payments add constraint invoice_payments_amount_of_source
  check (amount_cents <> 0 and (amount_cents > 0 or source = 'reversal'));

-- Disputes of payments at the payers' banks.
create table disputes (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'dsp\_%'),
  transaction_id text collate "C" not null,
  customer_id text collate "C",
  gateway_dispute_id text collate "C" not null,
  reversal_id text collate "C",
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  reason text not null,
  code text,
  status text not null check (status in ('open', 'won', 'lost', 'accepted')),
  opened_at timestamptz not null,
  respond_by timestamptz,
  submitted_at timestamptz,
  closed_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, transaction_id, gateway_dispute_id),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, reversal_id) references reversals (organisation_id, id) on delete set null (reversal_id),
  check ((status = 'open') = (closed_at is null))
);
create index disputes_open on disputes (organisation_id, id) where status = 'open';
create index disputes_customer on disputes (organisation_id, customer_id, id) where customer_id is not null;
alter table disputes enable row level security;
alter table disputes force row level security;
create policy tenant on disputes using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on disputes to tefo_app;

-- Files that answer a dispute.
create table dispute_evidence (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'evd\_%'),
  dispute_id text collate "C" not null,
  file_name text not null,
  content_type text not null check (content_type in ('application/pdf', 'image/png', 'image/jpeg')),
  size integer not null check (size >= 1 and size <= 10485760),
  sha256 bytea not null,
  content bytea not null,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, dispute_id, sha256),
  foreign key (organisation_id, dispute_id) references disputes (organisation_id, id)
);
alter table dispute_evidence enable row level security;
alter table dispute_evidence force row level security;
create policy tenant on dispute_evidence using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on dispute_evidence to tefo_app;
alter table dispute_evidence alter column content set storage external;
