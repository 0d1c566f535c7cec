-- A payment that starts under a monthly limit waits for those that start at the same moment: their row of this table is locked, so that
-- each counts the others.
create table payment_starts (
  organisation_id text collate "C" primary key references organisations,
  latest_at timestamptz not null
);
alter table payment_starts enable row level security;
alter table payment_starts force row level security;
create policy tenant on payment_starts using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on payment_starts to tefo_app;

create index transactions_pending on transactions (organisation_id, created_at) where status = 'pending';

-- A gateway may name only its own id of a payment or a refund.
create index transactions_provider on transactions (organisation_id, gateway_account_id, provider_ref) where provider_ref is not null;

create index refunds_provider on refunds (organisation_id, provider_ref) where provider_ref is not null;

-- What a gateway was asked for under the key, by the id of its record: a repeat meets it until there is a reply.
alter table idempotency_keys add column intent text collate "C";

-- The intent has its answer, but none that is stored.
alter table idempotency_keys add column intent_settled boolean not null default false;
