-- The sandbox gateway's own books (contract 4): what a real gateway keeps on its side. Its pages and its API alone use them.
create table sandbox_payments (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  account_id text collate "C" not null,        -- whose merchant it plays for
  checkout_id text collate "C",                -- names the payer's page; null without one
  reference text collate "C" not null,         -- the merchant's; later collections of a subscription repeat it
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  status text not null check (status in ('pending', 'complete', 'failed', 'cancelled')),
  fee_cents bigint check (fee_cents >= 0),
  details jsonb not null,
  created_at timestamptz not null,
  decided_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, checkout_id),
  foreign key (organisation_id, account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
create unique index sandbox_payments_checkout on sandbox_payments (organisation_id, account_id, reference)
  where checkout_id is not null;
create index sandbox_payments_reference on sandbox_payments (organisation_id, account_id, reference);

create table sandbox_refunds (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  payment_id text collate "C" not null,
  refund_id text collate "C" not null,         -- the merchant's
  amount_cents bigint not null check (amount_cents > 0),
  reason text,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, refund_id),
  foreign key (organisation_id, payment_id) references sandbox_payments (organisation_id, id) on delete cascade
);
create index sandbox_refunds_payment on sandbox_refunds (organisation_id, payment_id);

-- What a customer's new sign-in link sweeps away.
create index portal_links_customer on portal_links (organisation_id, customer_id, expires_at);
create index portal_sessions_customer on portal_sessions (organisation_id, customer_id, expires_at);

do $$
declare t text;
begin
  foreach t in array array['sandbox_payments', 'sandbox_refunds'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I using (organisation_id = app_organisation()) with check (organisation_id = app_organisation())', t);
    execute format('grant select, insert, update, delete on %I to tefo_app', t);
  end loop;
end $$;
