-- The tables of version 1.0, by subject: each with its indexes, and with what only some roles may do. Isolation of tenants is at the end.
-- A table with `organisation_id` holds rows of organisations: the column is first in its keys. What triggers do is in functions/.
-- functions: app_organisation, is_valid_email, is_valid_invoice, is_valid_line, is_valid_payment_link

-- ---------------------------------------------------------------- roles
-- The service signs in as the owner of the tables and takes `tefo_app`, which owns nothing and sees one organisation at a time. Functions
-- that run as `tefo_gate` look at all organisations: at keys, accounts, counters of requests and due work; it sees no money and no person.
-- `tefo_identity` sees who signs in, and nothing else.
do $$
begin
  if not exists (select from pg_roles where rolname = 'tefo_app') then create role tefo_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'tefo_gate') then create role tefo_gate nologin; end if;
  if not exists (select from pg_roles where rolname = 'tefo_identity') then create role tefo_identity nologin; end if;
exception when duplicate_object or unique_violation then null; -- another database of this cluster was first
end $$;
grant tefo_app, tefo_gate, tefo_identity to current_user;
revoke usage on schema public from public;
grant usage on schema public to tefo_app, tefo_gate;
create schema identity;
grant usage on schema identity to tefo_identity;

-- ---------------------------------------------------------------- organisations and their people

create table organisations (
  id text collate "C" primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  plan text not null check (plan in ('starter', 'growth', 'business', 'enterprise')),
  state text not null check (state in ('trial', 'active', 'suspended', 'cancelled')),
  trial_ends_at timestamptz,
  sandbox boolean not null,
  clock_at timestamptz,                         -- null: real time; else the clock stands still here
  clock_moving_until timestamptz,               -- lease of a clock move under way; machine time
  limits jsonb not null default '{}',           -- replaces quotas of the plan
  rate_limit integer check (rate_limit > 0),    -- requests a minute and key; null: the default
  token_key_sealed text not null,               -- signs the organisation's capability links
  created_at timestamptz not null
);
create policy gate on organisations for select to tefo_gate using (true);
grant insert, select, update on organisations to tefo_app;
grant select on organisations to tefo_gate;

create table organisation_settings (
  organisation_id text collate "C" primary key references organisations,
  settings jsonb not null default '{}',
  logo bytea,                                   -- beside the settings, which every page reads; they hold its path
  logo_print bytea,                             -- as PDFs hold it, decoded once; empty: it cannot be drawn
  -- VAT rates by day (interface 14.2, `vatRates`): the standard rate from each day on, and whether the organisation is registered then. It
  -- follows from the settings and is written with them, so that prices are read with their rates in one statement.
  vat_timeline jsonb not null default '[{"from": null, "rate": "15", "registered": true}]',
  -- when rates or registration were changed last: `verify` does not know those by which earlier bills were made
  vat_changed_at timestamptz
);

create table api_keys (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  prefix text collate "C" not null,
  secret_hash bytea not null,
  name text not null,
  permissions text[] not null default '{}',
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (organisation_id, id)
);
create unique index api_keys_prefix on api_keys (prefix);
create policy gate on api_keys for select to tefo_gate using (true);
grant select on api_keys to tefo_gate;

create table members (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  user_id text collate "C" not null,
  email text not null,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'viewer')),
  created_at timestamptz not null,
  tour_ended_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, user_id)
);
create index members_user on members (user_id);
create policy gate on members for select to tefo_gate using (true);
grant select on members to tefo_gate;

create table invitations (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'viewer')),
  token_hash bytea not null,
  invited_by text not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, token_hash)
);
-- At most one open invitation an address: inviting again ends the link that was sent before.
create unique index invitations_open on invitations (organisation_id, lower(email)) where accepted_at is null;

create table allowed_return_urls (
  organisation_id text collate "C" not null references organisations,
  origin text collate "C" not null,
  primary key (organisation_id, origin)
);

-- What the settings let go after a time: how far each kind was looked through, and how much was removed.
create table retention (
  organisation_id text collate "C" not null references organisations,
  what text collate "C" not null
    check (what = any ('{mailTexts,webhookDeliveries,proofsOfPayment,auditReads,abandonedCheckouts,closedCustomers}')),
  reached text collate "C" not null default '', -- older records than this id were looked at already
  removed bigint not null default 0,
  audited bigint not null default 0,            -- of `removed`, what the audit log tells of
  applied_at timestamptz not null,
  primary key (organisation_id, what),
  check (audited >= 0 and audited <= removed)
);

-- ---------------------------------------------------------------- sign-in

create table identity."user" (
  id text collate "C" primary key,
  name text not null,
  email text not null unique check (email = lower(email)),
  email_verified boolean not null,
  image text,
  two_factor_enabled boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table identity.session (
  id text collate "C" primary key,
  user_id text collate "C" not null references identity."user" on delete cascade,
  token text collate "C" not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index session_user_id on identity.session (user_id);

-- One row a way of signing in; ours is `credential`, with the password's hash.
create table identity.account (
  id text collate "C" primary key,
  user_id text collate "C" not null references identity."user" on delete cascade,
  provider_id text not null,
  account_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (user_id, provider_id)
);

-- Short-lived: password resets, second factors under way, trusted devices. Identifiers are hashes.
create table identity.verification (
  id text collate "C" primary key,
  identifier text collate "C" not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index verification_expires_at on identity.verification (expires_at);
create index verification_identifier on identity.verification (identifier);

create table identity.two_factor (
  id text collate "C" primary key,
  user_id text collate "C" not null unique references identity."user" on delete cascade,
  secret text not null,                         -- encrypted, as the backup codes are
  backup_codes text not null,
  verified boolean not null default true,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- Passkeys of staff: one row a credential; the secret half never leaves its owner's device.
create table identity.passkey (
  id text collate "C" primary key,
  user_id text collate "C" not null references identity."user" on delete cascade,
  name text,
  credential_id text collate "C" not null unique,
  public_key text not null,
  counter double precision not null check (counter >= 0), -- 32 bits without a sign, as a number to the library
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz not null
);
create index passkey_user_id on identity.passkey (user_id);

-- ---------------------------------------------------------------- due work, locks and requests

-- What is to be done, for each organisation: by the worker, or by a move of the organisation's clock (docs/architecture.md, Due work).
create table due_work (
  organisation_id text collate "C" not null references organisations,
  kind text not null,
  subject text collate "C" not null,
  lane text collate "C" not null,               -- what shares a fate and keeps its order: an endpoint, else the kind
  due_at timestamptz not null,
  is_due boolean not null default false,          -- due by the organisation's clock
  waits_for_clock boolean not null default false,          -- not due yet by the organisation's own clock: waits for a move of it
  attempts integer not null default 0,
  lease_token text,
  lease_until timestamptz,                      -- machine time
  parked_at timestamptz,
  last_error text,
  -- a request asked for it during a move of the clock: the move does as much of it as it has room for, and workers the rest, so that a move
  -- ends
  asked_during_move boolean not null default false,
  -- machine time; due by then, wherever the organisation's clock stands: work that waits for another system
  latest_at timestamptz,
  primary key (organisation_id, kind, subject)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
create index due_work_waiting on due_work (organisation_id, due_at) where waits_for_clock and parked_at is null;
create index due_work_latest on due_work (latest_at) where waits_for_clock and parked_at is null and latest_at is not null;
create index due_work_asked_during_move on due_work (organisation_id, due_at) where asked_during_move and parked_at is null;
create index due_work_pending on due_work (due_at) where not is_due and not waits_for_clock and parked_at is null;
create index due_work_due on due_work (organisation_id, lane, due_at, subject) where is_due and parked_at is null;
create policy gate on due_work to tefo_gate using (true) with check (true);
grant select, update on due_work to tefo_gate;

-- Whoever claims due work locks this row: one claim after the other, on whatever node it runs. An advisory lock belongs to one node.
create table claim_turns (
  name text collate "C" primary key
);
grant select, update on claim_turns to tefo_gate;

-- What has no row of its own to lock, such as an email address that no customer has yet: a name falls into one of a few rows of its kind,
-- made when they are first wanted. A row is locked on the node that holds its organisation; an advisory lock belongs to one node.
create table lock_slots (
  organisation_id text collate "C" not null references organisations,
  kind text collate "C" not null,
  slot smallint not null,
  primary key (organisation_id, kind, slot)
);

-- An Idempotency-Key is its row: inserted by the first statement of the request's transaction, given its reply by the last one. A second
-- request waits at the primary key, on whatever node the row is. Partitions are of a UTC day.
create table idempotency_keys (
  organisation_id text collate "C" not null,
  key text collate "C" not null,
  method text not null,
  path text collate "C" not null,
  recorded_at timestamptz not null,             -- the UTC day of the claim, which chooses the partition
  body_hash bytea not null,
  status smallint,
  reply_sealed text,
  claimed_at timestamptz,                       -- machine time
  -- id of the record of what a gateway was asked for: a repeat meets it until there is a reply
  intent text collate "C",
  intent_settled boolean not null default false, -- the intent has its answer, but none that is stored
  primary key (organisation_id, key, method, path, recorded_at)
) partition by range (recorded_at);

-- Requests counted in a fixed window, of each address and key. Unlogged: after a crash of the database the counts begin anew.
create unlogged table rate_windows (
  scope text collate "C" primary key,
  window_start bigint not null,                 -- Unix seconds, machine time
  count integer not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
grant delete, insert, select, update on rate_windows to tefo_app;
grant delete, insert, select, update on rate_windows to tefo_gate;

-- Requests of API keys, for whoever builds with them: kept for seven days, by partitions of a day.
create table request_log (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'req\_%'), -- begins with its time
  at timestamptz not null,
  method text collate "C" not null,
  path text collate "C" not null,
  parameters text collate "C" not null,
  status smallint not null,
  error text collate "C",
  duration_ms integer not null,
  key_id text collate "C" not null,
  key_prefix text collate "C" not null,
  idempotency text collate "C" check (idempotency in ('first', 'replayed', 'conflict')),
  primary key (organisation_id, id)
) partition by range (id);
create index request_log_refused on request_log (organisation_id, id) where status >= 400;
create policy gate on request_log for insert to tefo_gate with check (true);
grant insert on request_log to tefo_gate;

-- ---------------------------------------------------------------- events, webhooks, mails, and what is kept of changes

-- Ids begin with their time, so a range of ids is a range of time: events, deliveries, the audit log and the request log are partitioned by
-- id.
create table events (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  subject text collate "C" not null,
  sequence integer not null,
  data json not null,                           -- json, not jsonb: fields stay in the order of the API's objects
  created_at timestamptz not null,
  primary key (organisation_id, id)
) partition by range (id);
create index events_subject on events (organisation_id, subject, id);

create table event_subjects (
  organisation_id text collate "C" not null references organisations,
  subject text collate "C" not null,
  last_sequence integer not null,
  primary key (organisation_id, subject)
);

create table webhook_endpoints (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  url text not null,
  events text[] not null,
  enabled boolean not null,
  secret_sealed text not null,
  previous_secret_sealed text,                  -- signs too for a day after the rotation
  rotated_at timestamptz,
  failing_since timestamptz,
  disabled_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id)
);

create table webhook_deliveries (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  subject text collate "C" not null,            -- of the event: what is about one subject is sent in order
  endpoint_id text collate "C" not null,
  body text not null,                           -- fixed at event time; the very bytes that are signed
  status text not null check (status in ('pending', 'delivered', 'failed', 'parked')),
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id)
) partition by range (id);
create index webhook_deliveries_endpoint on webhook_deliveries (organisation_id, endpoint_id, id);
create index webhook_deliveries_event on webhook_deliveries (organisation_id, event_id, endpoint_id);
create index webhook_deliveries_open on webhook_deliveries (organisation_id, status, id) where status <> 'delivered';

create table emails (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  dedupe_key text collate "C" not null,
  kind text not null,
  recipients text[] not null,
  reply_to text,
  from_name text,
  subject text,
  text_body text,
  html_body text,
  status text not null check (status = any ('{recorded,queued,sending,sent,failed,unknown}')),
  error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  about text collate "C",
  facts jsonb,
  secret_sealed text,
  primary key (organisation_id, id),
  unique (organisation_id, dedupe_key),
  check (is_valid_email(from_name, subject, text_body, html_body, facts, secret_sealed))
);
create index emails_about on emails (organisation_id, about, id) where about is not null;

-- Who did what, from where, and what it changed.
create table audit_log (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  at timestamptz not null,
  actor_kind text not null check (actor_kind in ('key', 'member', 'payer', 'gateway', 'operator', 'system')),
  actor_id text,
  actor_name text,
  ip text,
  request_id text,
  action text not null,
  subject text collate "C",
  before jsonb,
  after jsonb,
  primary key (organisation_id, id)
) partition by range (id);
create index audit_log_subject on audit_log (organisation_id, subject, id) where subject is not null;

-- What a record said after each change that the service made of it, so that a change by hand is found (tefo verify).
create table revisions (
  organisation_id text collate "C" not null references organisations,
  subject text collate "C" not null,
  number integer not null check (number >= 0),  -- from 1 on; 0 is what a record said when revisions began to be kept
  facts jsonb not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (organisation_id, subject, number)
);

-- What staff wrote about a record.
create table notes (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'note\_%'),
  subject text collate "C" not null,
  text text not null,
  member_id text collate "C" not null,
  author_name text not null,
  created_at timestamptz not null,
  primary key (organisation_id, id)
);
create index notes_subject on notes (organisation_id, subject, id);

-- ---------------------------------------------------------------- payment gateways

create table gateway_accounts (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  type text not null,
  name text not null,
  mode text not null check (mode in ('live', 'sandbox')),
  enabled boolean not null,
  credentials_sealed text not null,
  currencies text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id)
);
create index gateway_accounts_id on gateway_accounts (id);
create policy gate on gateway_accounts for select to tefo_gate using (true);
grant select (organisation_id, id) on gateway_accounts to tefo_gate;

-- How a gateway account fares where no payment says so: notifications that were refused, calls without a clear answer. By the machine's
-- clock.
create table gateway_health (
  organisation_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  refused_count bigint not null default 0 check (refused_count >= 0),
  last_refused_at timestamptz,
  last_refusal text,
  unclear_count bigint not null default 0 check (unclear_count >= 0),
  unclear_in_a_row bigint not null default 0,
  last_unclear_at timestamptz,
  last_unclear text,
  primary key (organisation_id, gateway_account_id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts on delete cascade,
  check (unclear_in_a_row >= 0 and unclear_in_a_row <= unclear_count)
);

create table gateway_notifications (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  reference text collate "C",
  source text not null check (source in ('notification', 'query', 'payer', 'sweep', 'staff', 'statement')),
  fact jsonb not null,
  outcome text not null check (outcome in ('applied', 'repeated', 'mismatch', 'unknown_reference')),
  problem text,
  received_at timestamptz not null,
  -- What an adapter needs to act on a subscription, of a report that came before the subscription had begun here.
  handle_sealed text,
  primary key (organisation_id, id)
);
create index gateway_notifications_reference on gateway_notifications (organisation_id, reference, id);
create index gateway_notifications_refund_payments on gateway_notifications (organisation_id, gateway_account_id, ((fact ->> 'paymentRef')))
  where (fact ->> 'about') = 'refund' and outcome in ('unknown_reference', 'mismatch');
-- Reports of refunds that could not be booked yet, by the payment that they name.
create index gateway_notifications_refunds on gateway_notifications (organisation_id, gateway_account_id, reference)
  where (fact ->> 'about') = 'refund' and outcome in ('unknown_reference', 'mismatch');
-- What a gateway reported of a subscription before the payment that begins it was known: it is applied again once it has begun.
create index gateway_notifications_subscription on gateway_notifications (organisation_id, gateway_account_id,
  (((fact -> 'subscription') ->> 'key')))
  where outcome in ('unknown_reference', 'mismatch') and ((fact -> 'subscription') ->> 'key') is not null;

-- Changes of the bank accounts that payers are told to pay to. Of account numbers only the end is kept.
create table bank_detail_changes (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'bdc\_%'),
  gateway_account_id text collate "C" not null, -- no foreign key: it may be deleted since
  gateway_name text not null,
  kind text collate "C" not null check (kind in ('added', 'changed', 'removed')),
  fields text[] not null,
  before jsonb,
  after jsonb,
  actor_kind text collate "C" not null,
  actor_id text collate "C",
  actor_name text,
  changed_at timestamptz not null,
  held_until timestamptz,
  primary key (organisation_id, id),
  check (held_until > changed_at)
);
create index bank_detail_changes_held on bank_detail_changes (organisation_id, held_until) where held_until is not null;

-- ---------------------------------------------------------------- customers

create table customers (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  account_code text collate "C" not null,
  external_reference text collate "C",
  email text,
  first_name text,
  last_name text,
  company text,
  vat_number text,
  phone text,
  address text,
  active boolean not null default true,
  metadata jsonb not null default '{}',
  standing text not null default 'good' check (standing in ('good', 'owing', 'overdue', 'suspended')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account_code)
);
create index customers_email on customers (organisation_id, lower(email), id);
-- Unique by an index, which no foreign key can refer to, rather than by a constraint: PostgreSQL takes the strongest lock on a row for a
-- change of what a foreign key may refer to, and everything that refers to the customer would wait for it.
create unique index customers_external_reference on customers (organisation_id, external_reference) where external_reference is not null;
create index customers_inactive on customers (organisation_id, id) where not active;

-- The words by which staff look for a customer (functions/search_words.sql); kept by a trigger.
create table customer_words (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  word text collate "C" not null,
  primary key (organisation_id, customer_id, word),
  foreign key (organisation_id, customer_id) references customers on delete cascade
);
create index customer_words_word on customer_words (organisation_id, word, customer_id);

-- What a customer owes and what is held for them in one currency, moved by the statement that posts an entry. Its row is also the lock that
-- orders whatever changes what the customer owes.
create table customer_balances (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  currency text not null,
  receivable_cents bigint not null default 0,   -- the lines on `receivable`: above zero the customer owes
  credit_cents bigint not null default 0,       -- the opposite of the lines on `customer_credit`: held for the customer
  posted boolean not null default false,        -- whether a line was posted; else the row was made to be locked
  primary key (organisation_id, customer_id, currency),
  foreign key (organisation_id, customer_id) references customers
);

-- A customer's open invoices of one currency and due date, moved by the statements that change invoices: what is overdue on a day is the
-- sum of the dates before it.
create table open_invoice_totals (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  currency text not null,
  due_date date not null,                       -- infinity: invoices without one
  open_invoices integer not null,
  open_cents bigint not null,
  primary key (organisation_id, customer_id, currency, due_date),
  foreign key (organisation_id, customer_id) references customers
);

create table portal_links (
  organisation_id text collate "C" not null,
  token_hash bytea not null,
  customer_id text collate "C" not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  issued_by text collate "C",
  primary key (organisation_id, token_hash),
  foreign key (organisation_id, customer_id) references customers
);
-- What a customer's new sign-in link sweeps away.
create index portal_links_customer on portal_links (organisation_id, customer_id, expires_at);

create table portal_sessions (
  organisation_id text collate "C" not null,
  token_hash bytea not null,
  customer_id text collate "C" not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  issued_by text collate "C",
  primary key (organisation_id, token_hash),
  foreign key (organisation_id, customer_id) references customers
);
create index portal_sessions_customer on portal_sessions (organisation_id, customer_id, expires_at);

-- Erasures of customers: when, what was erased, and what is kept for its time.
create table erasures (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  erased_at timestamptz not null,
  erased jsonb not null,
  kept jsonb not null,
  kept_until date,                              -- what the law says to keep is kept to the end of it
  kept_erased_at timestamptz,
  primary key (organisation_id, customer_id),
  foreign key (organisation_id, customer_id) references customers
);

-- ---------------------------------------------------------------- products, packages and coupons

create table products (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  name text not null,
  description text,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  tax_rate numeric not null check (tax_rate between 0 and 100),
  tax_inclusive boolean not null,
  recurring_frequency text check (recurring_frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  tax_exempt boolean not null default false,    -- exempt from VAT rather than zero-rated: both have a rate of 0
  standard_rate boolean not null default false, -- the price follows the standard rate; else `tax_rate` is its own
  primary key (organisation_id, id),
  constraint products_standard_rate check (not (standard_rate and tax_exempt)),
  constraint products_tax_exempt check (not tax_exempt or tax_rate = 0)
);

-- What is sold as a subscription: packages and their plans.
create table packages (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  name text not null,
  description text,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id)
);

create table plans (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  package_id text collate "C" not null,
  code text collate "C",
  name text not null,
  enabled boolean not null,
  call_to_action text collate "C" not null check (call_to_action in ('none', 'contact_us', 'link')),
  call_to_action_url text,
  plan_version_id text collate "C" not null,    -- the price for those who subscribe from now on
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, code),
  foreign key (organisation_id, package_id) references packages
);
create index plans_package on plans (organisation_id, package_id, id);

-- Each price that a plan has had.
create table plan_versions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  plan_id text collate "C" not null,
  number integer not null check (number > 0),
  amount_cents bigint not null check (amount_cents >= 0),
  currency text not null,
  frequency text collate "C" not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  setup_fee_cents bigint not null check (setup_fee_cents >= 0),
  trial_days integer not null check (trial_days >= 0),
  tax_rate numeric not null check (tax_rate between 0 and 100),
  tax_inclusive boolean not null,
  cycles integer check (cycles > 0),            -- how often it is billed; null: without end
  created_at timestamptz not null,
  tax_exempt boolean not null default false,
  standard_rate boolean not null default false,
  primary key (organisation_id, id),
  unique (organisation_id, plan_id, number),
  foreign key (organisation_id, plan_id) references plans,
  constraint plan_versions_standard_rate check (not (standard_rate and tax_exempt)),
  constraint plan_versions_tax_exempt check (not tax_exempt or tax_rate = 0)
);
alter table plans add foreign key (organisation_id, plan_version_id) references plan_versions;

-- Coupons, and who has redeemed them.
create table coupons (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  code text not null,
  name text,
  percent numeric check (percent > 0 and percent <= 100),
  amount_cents bigint check (amount_cents > 0),
  currency text not null,
  duration text collate "C" not null check (duration in ('first', 'cycles', 'every')),
  cycles integer check (cycles > 0),
  starts_on date,
  ends_on date,
  max_redemptions integer check (max_redemptions > 0),
  max_redemptions_per_customer integer check (max_redemptions_per_customer > 0),
  redemptions integer not null check (redemptions >= 0), -- of coupon_redemptions, those that were not given back
  plan_ids text[] collate "C" not null,         -- this and the next empty: for everything sold
  product_ids text[] collate "C" not null,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  check (ends_on >= starts_on),
  check ((percent is null) <> (amount_cents is null)),
  check ((duration = 'cycles') = (cycles is not null))
);
create unique index coupons_code on coupons (organisation_id, lower(code));

create table coupon_redemptions (
  organisation_id text collate "C" not null,
  coupon_id text collate "C" not null,
  subject text collate "C" not null,            -- the id of what the coupon lowers the price of
  customer_id text collate "C" not null,
  percent numeric,                              -- the coupon's terms at the time, which a change of it leaves alone
  amount_cents bigint,
  currency text not null,
  duration text collate "C" not null check (duration in ('first', 'cycles', 'every')),
  cycles integer,
  redeemed_at timestamptz not null,
  released_at timestamptz,                      -- given back, because the payment did not come
  late boolean not null default false,          -- the payment came after that: the only redemptions beyond the coupon's limits
  primary key (organisation_id, coupon_id, subject),
  foreign key (organisation_id, coupon_id) references coupons,
  foreign key (organisation_id, customer_id) references customers
);
create index coupon_redemptions_customer on coupon_redemptions (organisation_id, coupon_id, customer_id) where released_at is null;

-- ---------------------------------------------------------------- invoices, quotes and credit notes

-- Numbers without gaps: taken late, in the transaction that uses them, from one row a kind.
create table document_numbers (
  organisation_id text collate "C" not null references organisations,
  kind text collate "C" not null check (kind = any ('{invoice,quote,credit_note}')),
  last_number bigint not null check (last_number >= 0),
  primary key (organisation_id, kind)
);

-- Who an invoice or a credit note was from and to when it was issued: what a tax invoice named, it goes on naming (VAT Act, sections 20 and
-- 21). What was missing then is null, and documents show what is known of it by now.
create table document_parties (
  organisation_id text collate "C" not null references organisations,
  document_id text collate "C" not null,        -- of an invoice or of a credit note
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

create table invoices (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  status text collate "C" not null check (status = any ('{draft,sent,overdue,partially_paid,paid,cancelled}')),
  external_reference text collate "C",
  customer_id text collate "C" not null,
  currency text not null,
  issue_date date not null,
  due_date date,
  tax_inclusive boolean not null,               -- the lines' gross was fixed and the VAT taken out of it
  subtotal_cents bigint not null,
  tax_cents bigint not null,
  total_cents bigint not null,
  paid_cents bigint not null default 0,         -- payments and credits applied
  notes text,
  metadata jsonb not null default '{}',
  period_start date,
  period_end date,
  quote_id text collate "C",
  issued_at timestamptz,                        -- when it entered the books: it left draft
  sent_at timestamptz,
  paid_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- what an invoice of a customer subscription bills, and which bill of it it is
  charge text collate "C" check (charge in ('first', 'cycle', 'recovery', 'setup', 'proration')),
  cycle integer check (cycle >= 0),
  -- when the collection of a subscription's invoice first failed; kept by a trigger (functions/keep_missed_invoice.sql)
  missed_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, number),
  foreign key (organisation_id, customer_id) references customers,
  check (is_valid_invoice(status, subtotal_cents, tax_cents, total_cents, paid_cents, issued_at, paid_at, cancelled_at, period_start,
    period_end))
);
create index invoices_customer on invoices (organisation_id, customer_id, id);
-- By customer and status, newest first: the portal's lists.
create index invoices_customer_status on invoices (organisation_id, customer_id, status, id);
create unique index invoices_external_reference on invoices (organisation_id, external_reference) where external_reference is not null;
-- Records in another currency than the rand are few in most organisations: their lists read an index, not every record. Those in rand are
-- in none of these indexes.
create index invoices_foreign on invoices (organisation_id, currency, id) where currency <> 'ZAR';
create index invoices_missed on invoices (organisation_id, missed_at) include (currency, total_cents, paid_cents)
  where missed_at is not null and status = any ('{sent,overdue,partially_paid}');
create index invoices_open on invoices (organisation_id, customer_id, issue_date, id) where status in ('sent', 'overdue', 'partially_paid');
create index invoices_quote on invoices (organisation_id, quote_id) where quote_id is not null;
create index invoices_recovered on invoices (organisation_id, paid_at) include (missed_at, currency, total_cents)
  where missed_at is not null and status = 'paid';
create index invoices_status on invoices (organisation_id, status, id);
-- What else staff look for: amounts, the merchant's references, the addresses of payers who are no customers.
create index invoices_total on invoices (organisation_id, total_cents, id);

create table invoice_lines (
  organisation_id text collate "C" not null,
  invoice_id text collate "C" not null,
  line smallint not null,
  description text not null,
  details text,
  quantity numeric not null,
  unit_price numeric not null,                  -- excluding VAT
  tax_rate numeric not null,
  amount_cents bigint not null,                 -- excluding VAT
  tax_cents bigint not null,
  period_start date,
  period_end date,
  tax_exempt boolean not null default false,    -- exempt from VAT rather than zero-rated: both have a rate of 0
  primary key (organisation_id, invoice_id, line),
  foreign key (organisation_id, invoice_id) references invoices,
  check (is_valid_line(line, quantity, unit_price, tax_rate, amount_cents, tax_cents)),
  constraint invoice_lines_tax_exempt check (not tax_exempt or tax_rate = 0)
);
-- Deferred revenue is read from the lines whose period ends in a month or after it.
create index invoice_lines_period on invoice_lines (organisation_id, period_end, invoice_id) where period_end is not null;

-- What reduced an invoice's balance: its paid_cents is the sum of these, those that were undone left out.
create table invoice_payments (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  invoice_id text collate "C" not null,
  source text not null check (source in ('offline', 'transaction', 'credit_note', 'reversal')),
  subject text collate "C",                     -- the transaction's reference, or the credit note's id
  method text check (method in ('eft', 'cash', 'card', 'wallet', 'other')), -- of an offline payment
  reference text,
  amount_cents bigint not null,
  paid_at timestamptz not null,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, invoice_id) references invoices,
  constraint invoice_payments_amount_of_source check (amount_cents <> 0 and (amount_cents < 0) = (source = 'reversal')),
  check ((source = 'offline') = (method is not null) and (source = 'offline') = (subject is null))
);
create index invoice_payments_invoice on invoice_payments (organisation_id, invoice_id, id);
create unique index invoice_payments_subject on invoice_payments (organisation_id, subject, invoice_id) where subject is not null;

create table quotes (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  status text collate "C" not null check (status in ('draft', 'sent', 'expired', 'accepted', 'declined', 'invoiced')),
  customer_id text collate "C" not null,
  currency text not null,
  issue_date date not null,
  expiry_date date,                             -- the last valid day
  period_start date,
  period_end date,
  tax_inclusive boolean not null,
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents > 0),
  notes text,
  invoice_id text collate "C",
  sent_at timestamptz,
  accepted_at timestamptz,
  declined_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, number),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, invoice_id) references invoices,
  check ((subtotal_cents + tax_cents) = total_cents),
  check (expiry_date is null or expiry_date >= issue_date),
  check ((period_start is null) = (period_end is null) and (period_end is null or period_end >= period_start)),
  check ((status = 'invoiced') = (invoice_id is not null))
);
create index quotes_customer on quotes (organisation_id, customer_id, id);
create index quotes_status on quotes (organisation_id, status, id);
create index quotes_total on quotes (organisation_id, total_cents, id);
alter table invoices add foreign key (organisation_id, quote_id) references quotes;

create table quote_lines (
  organisation_id text collate "C" not null,
  quote_id text collate "C" not null,
  line smallint not null check (line > 0),
  description text not null,
  details text,
  quantity numeric not null check (quantity > 0),
  unit_price numeric not null check (unit_price >= 0), -- with VAT when the quote is tax-inclusive
  tax_rate numeric not null check (tax_rate between 0 and 100),
  amount_cents bigint not null check (amount_cents >= 0), -- as the unit price: with VAT when tax-inclusive
  tax_cents bigint not null check (tax_cents >= 0),
  period_start date,
  period_end date,
  tax_exempt boolean not null default false,
  primary key (organisation_id, quote_id, line),
  foreign key (organisation_id, quote_id) references quotes on delete cascade,
  constraint quote_lines_tax_exempt check (not tax_exempt or tax_rate = 0)
);

create table credit_notes (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  number text collate "C" not null,
  status text collate "C" not null check (status in ('issued', 'applied', 'partially_applied')),
  customer_id text collate "C" not null,
  invoice_id text collate "C",                  -- the invoice it corrects (VAT Act, section 21); null: none
  currency text not null,
  tax_rate numeric check (tax_rate between 0 and 100),
  tax_cents bigint not null,
  amount_cents bigint not null check (amount_cents > 0), -- with VAT
  remaining_cents bigint not null,
  reason text not null,
  transaction_reference text collate "C",       -- the payment it credits; once each
  created_at timestamptz not null,
  updated_at timestamptz not null,
  tax_exempt boolean not null default false,    -- of a note without lines
  primary key (organisation_id, id),
  unique (organisation_id, number),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, invoice_id) references invoices,
  check (tax_cents >= 0 and tax_cents <= amount_cents),
  check (remaining_cents >= 0 and remaining_cents <= amount_cents),
  check (status = case remaining_cents when 0 then 'applied' when amount_cents then 'issued' else 'partially_applied' end),
  constraint credit_notes_tax_exempt check (not tax_exempt or coalesce(tax_rate = 0, false))
);
create index credit_notes_customer on credit_notes (organisation_id, customer_id, id);
create index credit_notes_invoice on credit_notes (organisation_id, invoice_id) where invoice_id is not null;
create index credit_notes_open on credit_notes (organisation_id, customer_id, id) where remaining_cents > 0;
create unique index credit_notes_transaction on credit_notes (organisation_id, transaction_reference)
  where transaction_reference is not null;

-- Lines of credit notes that correct several VAT rates. A note without lines has one rate of its own.
create table credit_note_lines (
  organisation_id text collate "C" not null,
  credit_note_id text collate "C" not null,
  line smallint not null check (line > 0),
  description text not null,
  tax_rate numeric not null check (tax_rate between 0 and 100),
  tax_cents bigint not null,
  amount_cents bigint not null check (amount_cents > 0),
  tax_exempt boolean not null default false,
  primary key (organisation_id, credit_note_id, line),
  foreign key (organisation_id, credit_note_id) references credit_notes,
  check (tax_cents >= 0 and tax_cents <= amount_cents),
  constraint credit_note_lines_tax_exempt check (not tax_exempt or tax_rate = 0)
);

create table credit_note_applications (
  organisation_id text collate "C" not null,
  credit_note_id text collate "C" not null,
  invoice_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  applied_at timestamptz not null,
  primary key (organisation_id, credit_note_id, invoice_id),
  foreign key (organisation_id, credit_note_id) references credit_notes,
  foreign key (organisation_id, invoice_id) references invoices
);
create index credit_note_applications_invoice on credit_note_applications (organisation_id, invoice_id);

-- ---------------------------------------------------------------- payments

create table payment_links (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  title text not null,
  description text,
  amount_cents bigint not null,
  currency text not null,
  external_reference text collate "C",
  return_url text,
  metadata jsonb not null default '{}',
  recurring_frequency text check (recurring_frequency = any ('{monthly,quarterly,biannually,annually}')),
  recurring_amount_cents bigint,
  single_use boolean not null,
  active boolean not null default true,
  expires_at timestamptz,
  paid_count integer not null default 0,
  customer_id text collate "C",
  product_id text collate "C",
  issued_by text collate "C",
  created_at timestamptz not null,
  invoice_id text collate "C",
  collects_balance boolean not null default false,
  -- it was mailed for a subscription: a recurring link replaces it, any other collects a charge of it
  gateway_subscription_id text collate "C",
  keeps_card boolean not null default false,    -- the card is kept for a customer subscription
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, invoice_id) references invoices,
  foreign key (organisation_id, product_id) references products,
  check (is_valid_payment_link(amount_cents, recurring_frequency, recurring_amount_cents, invoice_id, collects_balance, paid_count))
);
-- What an invoice's payUrl opens: at most one.
create unique index payment_links_collecting on payment_links (organisation_id, invoice_id) where collects_balance and active;
create index payment_links_customer on payment_links (organisation_id, customer_id, id) where customer_id is not null;
create index payment_links_external_reference on payment_links (organisation_id, external_reference, id)
  where external_reference is not null;
create index payment_links_gateway_subscription on payment_links (organisation_id, gateway_subscription_id, id)
  where gateway_subscription_id is not null;
create index payment_links_invoice on payment_links (organisation_id, invoice_id) where invoice_id is not null;

create table eft_orders (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  reference text collate "C" not null,          -- the payer's, and the transaction's
  status text collate "C" not null check (status in ('awaiting_payment', 'awaiting_review', 'rejected', 'paid', 'expired', 'cancelled')),
  amount_cents bigint not null check (amount_cents between 1 and 1000000000),
  currency text not null,
  description text,
  external_reference text collate "C",
  metadata jsonb not null default '{}',
  customer_id text collate "C",
  payment_link_id text collate "C",             -- the pay page it began on; null when the API made it
  gateway_account_id text collate "C" not null,
  payer_email text,
  rejection_reason text,
  expires_at timestamptz not null,
  reminded_at timestamptz,
  reviewed_at timestamptz,
  paid_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, reference),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, gateway_account_id) references gateway_accounts,
  foreign key (organisation_id, payment_link_id) references payment_links,
  check ((status = 'paid') = (paid_at is not null))
);
create index eft_orders_customer on eft_orders (organisation_id, customer_id, id) where customer_id is not null;
create index eft_orders_external_reference on eft_orders (organisation_id, external_reference, id) where external_reference is not null;
create index eft_orders_foreign on eft_orders (organisation_id, currency, id) where currency <> 'ZAR';
create index eft_orders_link on eft_orders (organisation_id, payment_link_id, id) where payment_link_id is not null;
create index eft_orders_status on eft_orders (organisation_id, status, id);

create table eft_proofs (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  order_id text collate "C" not null,
  file_name text not null,
  content_type text not null check (content_type in ('application/pdf', 'image/png', 'image/jpeg')),
  size integer not null check (size between 1 and 10485760),
  source text not null check (source in ('api', 'dashboard', 'payer')),
  sha256 bytea not null,
  content bytea not null,                       -- here, so that every process can read it
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, order_id, sha256),
  foreign key (organisation_id, order_id) references eft_orders
);
alter table eft_proofs alter column content set storage external;

create table transactions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  reference text collate "C" not null,
  status text not null check (status in ('pending', 'complete', 'failed', 'cancelled', 'refunded', 'partially_refunded')),
  amount_cents bigint not null check (amount_cents > 0),
  fee_cents bigint check (fee_cents >= 0),
  currency text not null,
  type text not null check (type in ('once', 'recurring', 'invoice', 'debit_order', 'eft', 'card_setup', 'card_debit')),
  gateway_account_id text collate "C" not null,
  gateway_type text not null,
  sandbox boolean not null,
  description text,
  provider_ref text,
  checkout_ref text,                            -- the gateway's id of the checkout, which need not be the payment's
  payer_email text,
  payment_link_id text collate "C",
  customer_id text collate "C",
  external_reference text collate "C",
  metadata jsonb not null default '{}',
  renewal boolean not null default false,
  parent_reference text collate "C",
  subscription_id text collate "C",
  handoff_sealed text,                          -- what the payer's browser takes to the gateway
  flags text[] not null default '{}',           -- for staff: overpaid, notification_mismatch, refund_failed
  overpaid_cents bigint not null default 0,
  paid_at timestamptz,
  created_at timestamptz not null,
  invoice_id text collate "C",
  eft_order_id text collate "C",
  tax_exempt boolean not null default false,    -- without an invoice: whether what was paid is exempt from VAT
  primary key (organisation_id, id),
  unique (organisation_id, reference),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, eft_order_id) references eft_orders,
  foreign key (organisation_id, gateway_account_id) references gateway_accounts,
  foreign key (organisation_id, invoice_id) references invoices,
  foreign key (organisation_id, payment_link_id) references payment_links,
  check (overpaid_cents >= 0 and overpaid_cents <= amount_cents),
  check ((paid_at is null) = (status in ('pending', 'failed', 'cancelled')))
);
create index transactions_amount on transactions (organisation_id, amount_cents, id);
-- What the overview adds up is read from indexes alone, and costs as much as what it adds up.
create index transactions_collected on transactions (organisation_id, paid_at) include (currency, amount_cents) where paid_at is not null;
create index transactions_customer on transactions (organisation_id, customer_id, id) where customer_id is not null;
-- What was collected by debit order, by the time at which it was: the sums of money at risk read this index alone.
create index transactions_debits on transactions (organisation_id, paid_at) include (id, currency, amount_cents)
  where type = 'debit_order' and paid_at is not null;
create index transactions_external_reference on transactions (organisation_id, external_reference, id) where external_reference is not null;
-- The payments that staff have to look at.
create index transactions_flagged on transactions (organisation_id, id) where flags <> '{}';
create index transactions_foreign on transactions (organisation_id, currency, id) where currency <> 'ZAR';
create index transactions_invoice on transactions (organisation_id, invoice_id, id) where invoice_id is not null;
create index transactions_link on transactions (organisation_id, payment_link_id, id) where payment_link_id is not null;
create index transactions_overpaid on transactions (organisation_id, id) where overpaid_cents > 0;
create index transactions_paid_amount on transactions (organisation_id, amount_cents, paid_at) where paid_at is not null;
create index transactions_payer on transactions (organisation_id, payer_email collate "C", id)
  where customer_id is null and payer_email is not null;
create index transactions_pending on transactions (organisation_id, created_at) where status = 'pending';
-- A gateway may name only its own id of a payment or a refund.
create index transactions_provider on transactions (organisation_id, gateway_account_id, provider_ref) where provider_ref is not null;
create index transactions_subscription on transactions (organisation_id, subscription_id, id) where subscription_id is not null;
-- Payments that are anything but complete are few: their lists read an index, not every payment.
create index transactions_unusual on transactions (organisation_id, status, id) where status <> 'complete';

-- A payment that starts under a monthly limit waits for those that start at the same moment: their row of this table is locked, so that
-- each counts the others.
create table payment_starts (
  organisation_id text collate "C" primary key references organisations,
  latest_at timestamptz not null
);

create table refunds (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  transaction_id text collate "C" not null,
  refund_number text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  method text not null check (method in ('gateway', 'manual')),
  status text not null check (status in ('requested', 'pending', 'processed', 'failed')),
  reason text,
  provider_ref text,
  failure text,
  processed_at timestamptz,
  created_at timestamptz not null,
  -- made in the gateway's own dashboard: booked when the gateway tells of it, or when staff record it
  made_elsewhere boolean not null default false,
  primary key (organisation_id, id),
  unique (organisation_id, refund_number),
  foreign key (organisation_id, transaction_id) references transactions,
  check ((processed_at is null) = (status <> 'processed')),
  constraint refunds_made_elsewhere_check check (not made_elsewhere or method = 'gateway')
);
create index refunds_provider on refunds (organisation_id, provider_ref) where provider_ref is not null;
create index refunds_transaction on refunds (organisation_id, transaction_id, id);

-- What of a credit note was settled by a refund of a payment of the invoice that it corrects: the same money is not given back twice.
create table credit_note_refunds (
  organisation_id text collate "C" not null,
  credit_note_id text collate "C" not null,
  refund_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  settled_at timestamptz not null,
  undone_at timestamptz,
  primary key (organisation_id, credit_note_id, refund_id),
  foreign key (organisation_id, credit_note_id) references credit_notes,
  foreign key (organisation_id, refund_id) references refunds
);
create index credit_note_refunds_refund on credit_note_refunds (organisation_id, refund_id);

-- Money that was collected and that a bank took back.
create table reversals (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  transaction_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  reason text not null,
  code text,
  occurred_at timestamptz,                      -- by the gateway; with the code it tells two reversals of a payment apart
  reversed_at timestamptz,                      -- when it was posted; null until its payment completes
  created_at timestamptz not null,
  debit_invoice_id text collate "C",            -- the invoice that asks for the money of a card set-up again
  is_hard boolean not null default false,       -- it must not be collected again by itself, as a disputed debit (interface 16.20)
  primary key (organisation_id, id),
  foreign key (organisation_id, debit_invoice_id) references invoices,
  foreign key (organisation_id, transaction_id) references transactions
);
create index reversals_transaction on reversals (organisation_id, transaction_id, id);

-- Completed bank transfers and debits of which no statement has shown anything; kept by triggers (functions/keep_paid_awaited.sql).
create table awaited_payments (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  type text collate "C" not null check (type in ('eft', 'debit_order')),
  currency text not null,
  gateway_account_id text collate "C" not null,
  paid_at timestamptz not null,
  primary key (organisation_id, transaction_id),
  foreign key (organisation_id, transaction_id) references transactions on delete cascade
);
-- In another currency than the rand: what nearly every organisation has is in none of it.
create index awaited_payments_foreign on awaited_payments (organisation_id, gateway_account_id, type, currency, paid_at, transaction_id)
  where currency <> 'ZAR';
create index awaited_payments_oldest on awaited_payments (organisation_id, gateway_account_id, type, paid_at, transaction_id);

-- ---------------------------------------------------------------- saved cards

-- Cards that customers saved. A gateway knows a card again by its fingerprint; the card then keeps its row. One default per customer.
create table cards (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  customer_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  fingerprint text collate "C",                 -- null: the gateway has none
  token_sealed text not null,                   -- what the gateway account charges
  brand text collate "C" not null check (brand in ('visa', 'mastercard', 'amex', 'diners', 'card')),
  last4 text collate "C" not null,
  expiry_month smallint check (expiry_month between 1 and 12),
  expiry_year smallint,
  holder_name text,
  status text collate "C" not null check (status in ('active', 'expired', 'failed', 'removed')),
  is_default boolean not null,
  source text collate "C" not null check (source in ('card_setup', 'checkout')),
  told_expiring_at timestamptz,                 -- customer.payment_method.expiring was sent
  last_used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, gateway_account_id) references gateway_accounts,
  check ((expiry_month is null) = (expiry_year is null)),
  check (not (is_default and status = 'removed'))
);
create index cards_customer on cards (organisation_id, customer_id, id);
create unique index cards_default on cards (organisation_id, customer_id) where is_default;
create index cards_fingerprint on cards (organisation_id, gateway_account_id, fingerprint) where fingerprint is not null;
create unique index cards_known on cards (organisation_id, customer_id, gateway_account_id, fingerprint) where fingerprint is not null;

-- Hosted pages on which a customer adds a card.
create table card_setups (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  customer_id text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'completed', 'expired')),
  return_url text,
  make_default boolean not null,
  card_id text collate "C",
  failure_reason text collate "C" check (failure_reason in ('declined', 'cancelled', 'no_card_saved')),
  metadata jsonb not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, card_id) references cards,
  foreign key (organisation_id, customer_id) references customers,
  check ((card_id is not null) = (status = 'completed')),
  check ((completed_at is not null) = (status = 'completed'))
);
create index card_setups_card on card_setups (organisation_id, card_id) where card_id is not null;
create index card_setups_customer on card_setups (organisation_id, customer_id, id);

-- The payments of 1.00 that were begun on such a page.
create table card_setup_payments (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  card_setup_id text collate "C" not null,
  primary key (organisation_id, transaction_id),
  foreign key (organisation_id, card_setup_id) references card_setups,
  foreign key (organisation_id, transaction_id) references transactions
);
create index card_setup_payments_setup on card_setup_payments (organisation_id, card_setup_id);

-- Charges of saved cards. What was charged is in the transaction; this row ties it to the card.
create table card_charges (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  transaction_id text collate "C" not null,
  customer_id text collate "C" not null,
  card_id text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'complete', 'failed')),
  external_reference text collate "C",          -- null: not charged through the API
  holds_reference boolean not null,             -- no other charge may have the external reference
  due_invoice_id text collate "C",              -- the invoice for which the default card was charged when it fell due
  business_day date not null,                   -- on which it was asked for
  failure_reason text,
  is_collection boolean not null default false, -- made by the service itself: counts for no limit of the customer
  primary key (organisation_id, id),
  unique (organisation_id, transaction_id),
  foreign key (organisation_id, card_id) references cards,
  foreign key (organisation_id, transaction_id) references transactions,
  check (not holds_reference or external_reference is not null and (status in ('pending', 'complete'))),
  check ((failure_reason is not null) = (status = 'failed'))
);
create index card_charges_card on card_charges (organisation_id, card_id);
create index card_charges_customer on card_charges (organisation_id, customer_id, business_day);
create unique index card_charges_due_invoice on card_charges (organisation_id, due_invoice_id) where due_invoice_id is not null;
create unique index card_charges_reference on card_charges (organisation_id, external_reference) where holds_reference;
create index card_charges_references on card_charges (organisation_id, external_reference, id) where external_reference is not null;

-- ---------------------------------------------------------------- subscriptions

-- Customer subscriptions that the service bills, and every bill of theirs with the reason of each line.
create table customer_subscriptions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null check (status in ('scheduled', 'pending', 'trialing', 'active', 'past_due', 'paused', 'cancelled',
    'expired')),
  customer_id text collate "C" not null,
  plan_id text collate "C" not null,
  plan_version_id text collate "C" not null,
  collection_method text collate "C" not null check (collection_method in ('gateway', 'debit_order', 'invoice', 'manual', 'external')),
  external_reference text collate "C",
  metadata jsonb not null,
  state jsonb not null,                         -- what the planner knows of it: terms, period, credits
  next_due date,                                -- when its next start, bill or end falls due by itself
  created_at timestamptz not null,
  updated_at timestamptz not null,
  source text collate "C" not null default 'api' check (source in ('api', 'checkout', 'import')),
  pending_plan_id text collate "C",             -- the plan from the next renewal on: it cannot be deleted
  paused_at timestamptz,
  cancelled_at timestamptz,
  cancel_reason text collate "C",
  trial_noticed_for date,                       -- the first-charge date for which the trial-ending notice was sent
  card_id text collate "C",                     -- the card that pays it; null: the customer's default card
  mrr_cents bigint not null default 0,          -- what it is worth a month while it runs, without VAT
  primary key (organisation_id, id),
  unique (organisation_id, external_reference),
  constraint customer_subscriptions_card_fkey foreign key (organisation_id, card_id) references cards,
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, plan_id) references plans,
  foreign key (organisation_id, plan_version_id) references plan_versions,
  constraint customer_subscriptions_pending_plan_fkey foreign key (organisation_id, pending_plan_id) references plans,
  constraint customer_subscriptions_cancelled_check check ((status = 'cancelled') = (cancelled_at is not null)),
  constraint customer_subscriptions_paused_check check ((status = 'paused') = (paused_at is not null))
);
create index customer_subscriptions_card on customer_subscriptions (organisation_id, card_id) where card_id is not null;
create index customer_subscriptions_customer on customer_subscriptions (organisation_id, customer_id, id);
create index customer_subscriptions_pending_plan on customer_subscriptions (organisation_id, pending_plan_id)
  where pending_plan_id is not null;
create index customer_subscriptions_plan on customer_subscriptions (organisation_id, plan_id, id);
create index customer_subscriptions_recurring on customer_subscriptions (organisation_id, id) where mrr_cents <> 0;

create table customer_subscription_bills (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'csb\_%'),
  customer_subscription_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('first', 'cycle', 'proration')),
  cycle integer not null check (cycle >= 0),
  billed_on date not null,
  period_start date not null,
  period_next date not null,
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  lines jsonb not null,                         -- priced lines in the price's own terms, each with its reason
  invoice_id text collate "C",                  -- null when nothing was to pay
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, invoice_id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  foreign key (organisation_id, invoice_id) references invoices,
  check (period_next >= period_start)
);
-- A period is billed once.
create unique index customer_subscription_bills_period on customer_subscription_bills (organisation_id, customer_subscription_id,
  period_start, kind, cycle) where kind <> 'proration';
create index customer_subscription_bills_subscription on customer_subscription_bills (organisation_id, customer_subscription_id, id);

-- Where the credit of subscriptions came from: what was given, what bills made, and what another way of writing prices made of it. What
-- bills used stands on their lines.
create table customer_subscription_credits (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'cse\_%'),
  customer_subscription_id text collate "C" not null,
  credit_id text collate "C" not null,
  cause text collate "C" not null check (cause in ('given', 'billed', 'restated', 'returned', 'withdrawn')),
  amount_cents bigint not null check (amount_cents <> 0), -- in the price's own terms
  created_at timestamptz not null,
  -- of credit that a cancelled invoice had used and that comes back, and of credit for unused days: the bill that had charged them
  bill_id text collate "C",
  gross_cents bigint,                           -- with VAT: no more of the bill that had charged the days is refunded or credited
  primary key (organisation_id, id),
  foreign key (organisation_id, bill_id) references customer_subscription_bills,
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  check (bill_id is not null or (cause not in ('returned', 'withdrawn')))
);
create index customer_subscription_credits_bill on customer_subscription_credits (organisation_id, bill_id) where bill_id is not null;
create index customer_subscription_credits_subscription on customer_subscription_credits (organisation_id, customer_subscription_id, id);

-- Each change of what a subscription is worth a month.
create table customer_subscription_movements (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'mrm\_%'),
  customer_subscription_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('new', 'expansion', 'contraction', 'churn', 'reactivation')),
  currency text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  happened_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions
);
create index customer_subscription_movements_happened on customer_subscription_movements (organisation_id, happened_at);
create index customer_subscription_movements_subscription on customer_subscription_movements (organisation_id, customer_subscription_id,
  id);

-- Where the end of a period was moved to.
create table customer_subscription_moves (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'csm\_%'),
  customer_subscription_id text collate "C" not null,
  cycle integer not null check (cycle > 0),     -- of the bill whose period it is
  ended_on date not null,                       -- the day after the period's last, before
  ends_on date not null,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  check (ends_on <> ended_on)
);
create index customer_subscription_moves_subscription on customer_subscription_moves (organisation_id, customer_subscription_id, cycle, id);

-- Periods of subscriptions that another platform bills, each with what the service would have billed for it.
create table recorded_periods (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rper\_%'),
  customer_subscription_id text collate "C" not null,
  status text collate "C" not null check (status in ('active', 'trialing', 'past_due')),
  period_start date not null,
  period_next date not null,
  cycle integer not null check (cycle >= 0),    -- renewals recorded until then
  billed_cents bigint check (billed_cents >= 0), -- by the other platform, with VAT; null when it did not say
  subtotal_cents bigint not null check (subtotal_cents >= 0),
  tax_cents bigint not null check (tax_cents >= 0),
  total_cents bigint not null check (total_cents >= 0),
  tax_inclusive boolean not null,
  lines jsonb not null,                         -- priced lines in the price's own terms, each with its reason
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, customer_subscription_id, period_start),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  check (period_next > period_start)
);
create index recorded_periods_subscription on recorded_periods (organisation_id, customer_subscription_id, id);

-- Invoices of subscriptions that the service collects by itself: from a stored card, or by debit order.
create table subscription_collections (
  organisation_id text collate "C" not null,
  invoice_id text collate "C" not null,
  customer_subscription_id text collate "C" not null,
  missed_at timestamptz,                        -- of the first attempt that failed
  retries integer not null default 0 check (retries >= 0), -- that were made on a day of the settings
  is_hard boolean not null default false,       -- the last card will never pay: it is not charged again
  new_card_id text collate "C",                 -- became the default, and is tried once
  ended text collate "C" check (ended in ('paid', 'cancelled', 'stopped', 'given_up', 'taken_back')),
  created_at timestamptz not null,
  primary key (organisation_id, invoice_id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  foreign key (organisation_id, invoice_id) references invoices,
  foreign key (organisation_id, new_card_id) references cards,
  check (missed_at is not null or retries = 0 and not is_hard)
);
create index subscription_collections_missed on subscription_collections (organisation_id, missed_at) where missed_at is not null;
create index subscription_collections_new_card on subscription_collections (organisation_id, new_card_id) where new_card_id is not null;
-- What is being tried again is a small part of what ever failed.
create index subscription_collections_retried on subscription_collections (organisation_id, invoice_id)
  where missed_at is not null and ended is null;
create index subscription_collections_subscription on subscription_collections (organisation_id, customer_subscription_id, invoice_id);

-- Every attempt to collect one, also one that could not be made.
create table collection_attempts (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'att\_%'),
  customer_subscription_id text collate "C" not null,
  invoice_id text collate "C" not null,
  cause text collate "C" not null check (cause in ('renewal', 'retry', 'new_card', 'request', 'debit_day')),
  transaction_id text collate "C",              -- null: nothing could be asked of a gateway
  status text collate "C" not null check (status in ('pending', 'complete', 'failed', 'cancelled')),
  reason text,                                  -- why it failed
  is_hard boolean not null default false,
  next_at timestamptz,                          -- when the next attempt follows by itself
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  foreign key (organisation_id, invoice_id) references subscription_collections (organisation_id, invoice_id),
  foreign key (organisation_id, transaction_id) references transactions,
  check ((status in ('failed', 'cancelled')) = (reason is not null)),
  check (transaction_id is not null or status = 'failed')
);
create index collection_attempts_invoice on collection_attempts (organisation_id, invoice_id, id);
create index collection_attempts_subscription on collection_attempts (organisation_id, customer_subscription_id, id);
create unique index collection_attempts_transaction on collection_attempts (organisation_id, transaction_id)
  where transaction_id is not null;

-- ---------------------------------------------------------------- debit orders

-- Debit order mandates: a customer's authority to collect an amount from a bank account on a day of the month.
create table mandates (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_reference text collate "C" not null,
  customer_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  product_id text collate "C",
  subscription_id text collate "C",
  status text collate "C" not null check (status in ('pending', 'active', 'paused', 'cancelled')),
  authority text collate "C" not null check (authority in ('agreement', 'emandate', 'offline')),
  description text not null,
  notes text,
  amount_cents bigint not null check (amount_cents > 0),
  frequency text collate "C" not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  debit_day smallint not null check (debit_day between 1 and 31),
  start_date date not null,
  end_date date,
  first_debit_date date not null,               -- the first date by the terms at creation: its month is the first period
  last_debit_date date,                         -- the newest date that went into a batch
  next_debit_date date,                         -- the date to collect next; null unless it is active, and after the end date
  last_collected_at date,
  failure_count integer not null default 0 check (failure_count >= 0),
  bank_name text,
  branch_code text collate "C" not null,
  account_type text collate "C" not null check (account_type in ('current', 'savings', 'transmission')),
  account_holder text not null,
  account_number_sealed text not null,
  account_number_last4 text collate "C" not null,
  id_number_sealed text,
  id_number_last4 text collate "C",
  e_mandate_url text,
  authorised_at timestamptz,
  agreement_signed_at timestamptz,
  approved_at timestamptz,
  rejected_at timestamptz,
  rejection_reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- when it was last put into a batch: at most once a day, also when several of its dates have passed
  last_action_date date,
  last_unpaid_date date,                        -- the newest date that counts as unpaid: several debits of one date count once
  authority_lost_at timestamptz,                -- the account holder says that there is no authority to debit
  authority_renewed_at timestamptz,             -- a new agreement was signed after that
  primary key (organisation_id, id),
  unique (organisation_id, account_reference),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, gateway_account_id) references gateway_accounts,
  foreign key (organisation_id, product_id) references products,
  constraint mandates_subscription_fkey foreign key (organisation_id, subscription_id) references customer_subscriptions,
  constraint mandates_authority_lost_check check (authority_lost_at is null or (status in ('paused', 'cancelled'))),
  check (end_date > start_date),
  check (next_debit_date is null or status = 'active'),
  check (rejected_at is null or status = 'cancelled'),
  check (authorised_at is not null or (status in ('pending', 'cancelled')))
);
create index mandates_customer on mandates (organisation_id, customer_id, id);
create index mandates_due on mandates (organisation_id, next_debit_date, id) include (amount_cents) where next_debit_date is not null;
create index mandates_gateway_account on mandates (organisation_id, gateway_account_id);
-- What counts towards the plan's limit.
create index mandates_open on mandates (organisation_id, id) where status <> 'cancelled';
create index mandates_product on mandates (organisation_id, product_id) where product_id is not null;
create index mandates_subscription on mandates (organisation_id, subscription_id, id) where subscription_id is not null;

-- Agreements that customers sign online: the document as it was shown, and the evidence of the signature.
create table mandate_agreements (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  mandate_id text collate "C" not null,
  status text collate "C" not null check (status in ('open', 'signed', 'cancelled', 'expired')),
  token_hash bytea not null,                    -- SHA-256 of the token in the sign URL
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
  foreign key (organisation_id, mandate_id) references mandates,
  check ((status = 'signed') = (signed_at is not null)),
  check ((status = 'signed') = (signer_name is not null)),
  check ((status = 'signed') = (consent_text is not null))
);
create index mandate_agreements_mandate on mandate_agreements (organisation_id, mandate_id, id);
create unique index mandate_agreements_open on mandate_agreements (organisation_id, mandate_id) where status = 'open';

-- Debits of mandates that are sent to a gateway together.
create table debit_batches (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  action_date date not null,
  status text collate "C" not null check (status in ('open', 'submitting', 'submitted', 'refused', 'cancelled')),
  debits integer not null check (debits >= 0),
  amount_cents bigint not null check (amount_cents >= 0),
  batch_ref text,                               -- the gateway's own id
  problem text,                                 -- why the gateway refused or holds it
  submitted_at timestamptz,
  created_at timestamptz not null,
  given_up_at timestamptz,                      -- since then the gateway is not asked about its undecided debits
  moved_from date,                              -- its action date before it was sent too late for that
  filled boolean not null default false,        -- as many debits as its gateway takes in one: more of the date go into another
  asked_at timestamptz,                         -- when the gateway was asked to take it
  primary key (organisation_id, id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts
);
create unique index debit_batches_gathering on debit_batches (organisation_id, gateway_account_id, action_date)
  where status = 'open' and not filled;

-- One debit: a payment, of one mandate, for one date.
create table debits (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  debit_batch_id text collate "C" not null,
  mandate_id text collate "C" not null,
  debit_date date not null,                     -- as the mandate says, before it is moved to a business day
  unpaid_reason text,                           -- why it came back unpaid, in the bank's words
  withdrawn boolean not null default false,     -- taken out of its batch before that was sent, because its mandate was paused or cancelled
  -- A mandate that collects a customer subscription may debit several invoices on one date: each is a part of the date, counted from 1.
  part smallint not null default 1 check (part >= 1),
  primary key (organisation_id, transaction_id),
  foreign key (organisation_id, debit_batch_id) references debit_batches,
  foreign key (organisation_id, mandate_id) references mandates,
  foreign key (organisation_id, transaction_id) references transactions
);
create index debits_batch on debits (organisation_id, debit_batch_id, transaction_id);
create unique index debits_mandate_date_part on debits (organisation_id, mandate_id, debit_date, part);

-- ---------------------------------------------------------------- subscriptions that a gateway runs

-- Subscriptions that a gateway runs, each begun by a payment. A gateway names one by its key within the gateway account.
create table gateway_subscriptions (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  status text collate "C" not null check (status in ('pending', 'active', 'past_due', 'paused', 'cancelled')),
  frequency text collate "C" not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text collate "C" not null,
  gateway_account_id text collate "C",          -- null until the payer has chosen one
  gateway_type text collate "C",
  payment_link_id text collate "C",
  customer_id text collate "C",
  invoice_id text collate "C",                  -- of a recurring link for an invoice: what each later invoice repeats
  first_reference text collate "C",             -- of the payment that began it
  link_key text collate "C",                    -- null until it has begun
  handle_sealed text,                           -- what the adapter needs to act on it
  card_token_sealed text,                       -- what the gateway account charges again
  card_brand text collate "C" check (card_brand in ('visa', 'mastercard', 'amex', 'diners', 'card')),
  card_last4 text collate "C",
  payer_email text,
  description text,
  external_reference text collate "C",
  metadata jsonb not null,
  next_charge_on date,
  paused boolean not null,
  paused_as_of timestamptz not null,            -- time of the newest report that says whether it is paused
  past_due boolean not null,
  past_due_as_of timestamptz not null,          -- time of the newest report that says whether a charge was missed
  created_at timestamptz not null,
  updated_at timestamptz not null,
  missed_charges integer not null default 0 check (missed_charges >= 0), -- later charges that were missed, ever
  replaced_by_id text collate "C",              -- the subscription that took its place
  -- Another amount that the gateway may have collected: the one before the last change, for collections until then; without a time, one
  -- that the gateway was asked for and has not confirmed.
  other_amount_cents bigint check (other_amount_cents > 0),
  other_amount_until timestamptz,
  flags text[] not null default '{}',           -- for staff: cancelled, paused, resumed or changed in the gateway's own dashboard
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, gateway_account_id) references gateway_accounts,
  foreign key (organisation_id, invoice_id) references invoices,
  foreign key (organisation_id, payment_link_id) references payment_links,
  constraint gateway_subscriptions_replaced_by_fkey foreign key (organisation_id, replaced_by_id) references gateway_subscriptions,
  check ((gateway_account_id is null) = (gateway_type is null)),
  check ((link_key is null) = (first_reference is null)),
  check (link_key is null or gateway_account_id is not null),
  check (status <> 'pending' or link_key is null),
  check ((card_token_sealed is null) = (card_brand is null)),
  check ((card_token_sealed is null) = (card_last4 is null)),
  constraint gateway_subscriptions_other_amount check (other_amount_cents is not null or other_amount_until is null)
);
create index gateway_subscriptions_customer on gateway_subscriptions (organisation_id, customer_id, id) where customer_id is not null;
create index gateway_subscriptions_external_reference on gateway_subscriptions (organisation_id, external_reference, id)
  where external_reference is not null;
create index gateway_subscriptions_invoice on gateway_subscriptions (organisation_id, invoice_id) where invoice_id is not null;
create unique index gateway_subscriptions_key on gateway_subscriptions (organisation_id, gateway_account_id, link_key)
  where link_key is not null;
create index gateway_subscriptions_payment_link on gateway_subscriptions (organisation_id, payment_link_id, id)
  where payment_link_id is not null;
create index gateway_subscriptions_replaced_by on gateway_subscriptions (organisation_id, replaced_by_id) where replaced_by_id is not null;
alter table payment_links add constraint payment_links_gateway_subscription_fkey foreign key (organisation_id, gateway_subscription_id)
  references gateway_subscriptions;

-- Collections of a subscription that were asked for by the merchant: by the stored card, or by a mailed link.
create table subscription_retries (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  gateway_subscription_id text collate "C" not null,
  missed_reference text collate "C",            -- of the missed charge; null: collected without one
  payment_link_id text collate "C",             -- null: by the stored card
  reference text collate "C",                   -- of the stored card's payment
  collected_reference text collate "C",         -- of the payment that collected it
  created_at timestamptz not null,
  -- machine time; when the charge of the stored card ended: a request that was under way then collects nothing more
  ended_at timestamptz,
  primary key (organisation_id, id),
  foreign key (organisation_id, gateway_subscription_id) references gateway_subscriptions,
  foreign key (organisation_id, payment_link_id) references payment_links,
  check ((payment_link_id is null) = (reference is not null))
);
create unique index subscription_retries_link on subscription_retries (organisation_id, payment_link_id) where payment_link_id is not null;
create index subscription_retries_subscription on subscription_retries (organisation_id, gateway_subscription_id, id);

-- Card subscriptions that are brought over from elsewhere: each a subscription that waits for its payer to confirm the card.
create table subscription_migrations (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  legacy_reference text collate "C" not null,
  payer_name text not null,
  email text not null,
  next_date date not null,
  status text collate "C" not null check (status in ('link_sent', 'authorised', 'legacy_cancelled', 'cancelled')),
  cancels_legacy boolean not null,              -- by the service, once it is authorised
  gateway_subscription_id text collate "C",
  customer_id text collate "C" not null,
  card_setup_id text collate "C" not null,      -- the page on which the payer confirms the card
  created_at timestamptz not null,
  customer_subscription_id text collate "C",    -- the subscription that the service charges from its date; null: it is the gateway's
  amount_cents bigint check (amount_cents > 0),
  frequency text collate "C" check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  primary key (organisation_id, id),
  unique (organisation_id, legacy_reference),
  foreign key (organisation_id, card_setup_id) references card_setups,
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions,
  foreign key (organisation_id, gateway_subscription_id) references gateway_subscriptions,
  constraint subscription_migrations_subscription_check check (num_nonnulls(customer_subscription_id, gateway_subscription_id) = 1),
  constraint subscription_migrations_terms_check
    check (customer_subscription_id is null or amount_cents is not null and frequency is not null)
);
create index subscription_migrations_customer on subscription_migrations (organisation_id, customer_id);
create unique index subscription_migrations_customer_subscription on subscription_migrations (organisation_id, customer_subscription_id);
create unique index subscription_migrations_setup on subscription_migrations (organisation_id, card_setup_id);
create unique index subscription_migrations_subscription on subscription_migrations (organisation_id, gateway_subscription_id);

-- ---------------------------------------------------------------- checkout

-- How an organisation's checkout pages look and what they ask for; without a row the defaults.
create table checkout_pages (
  organisation_id text collate "C" primary key references organisations,
  design jsonb not null
);

-- Checkouts of packages and products, by a link that was made by API or by the form of a checkout page.
create table checkout_sessions (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'chk\_%'),
  status text collate "C" not null check (status in ('pending', 'completed', 'failed', 'expired')),
  source text collate "C" not null check (source in ('api', 'hosted')),
  package_id text collate "C",
  plan_id text collate "C",
  product_id text collate "C",
  customer_id text collate "C",
  subscription_id text collate "C",             -- of a customer subscription, or of a gateway's for a recurring product
  coupon_code text,
  return_url text,
  prefill jsonb not null,
  metadata jsonb not null,
  transaction_id text collate "C",              -- the latest payment, or the one that completed the session
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- what the payer last entered: the form begins with it again; what the merchant gave stays in `prefill`
  entered jsonb not null default '{}',
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers,
  foreign key (organisation_id, package_id) references packages,
  foreign key (organisation_id, plan_id) references plans,
  foreign key (organisation_id, product_id) references products,
  foreign key (organisation_id, transaction_id) references transactions,
  check ((package_id is null) <> (product_id is null)),
  check (plan_id is null or package_id is not null),
  check (used_at is not null or customer_id is null),
  check (used_at is not null or transaction_id is null)
);
create index checkout_sessions_customer on checkout_sessions (organisation_id, customer_id, id) where customer_id is not null;
create index checkout_sessions_package on checkout_sessions (organisation_id, package_id) where package_id is not null;
create index checkout_sessions_plan on checkout_sessions (organisation_id, plan_id) where plan_id is not null;
create index checkout_sessions_product on checkout_sessions (organisation_id, product_id) where product_id is not null;
create index checkout_sessions_transaction on checkout_sessions (organisation_id, transaction_id) where transaction_id is not null;

-- The payments that were begun on a checkout session.
create table checkout_payments (
  organisation_id text collate "C" not null,
  transaction_id text collate "C" not null,
  checkout_session_id text collate "C" not null,
  discount_cents bigint not null check (discount_cents >= 0),
  tax_cents bigint check (tax_cents >= 0),      -- within the amount; null: the price has no VAT
  coupon_id text collate "C",
  coupon_subject text collate "C",              -- what the redemption is counted for
  -- how often the gateway charges a recurring product again, as it was when the payment was begun
  recurring_frequency text collate "C" check (recurring_frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  tax_exempt boolean not null default false,
  primary key (organisation_id, transaction_id),
  foreign key (organisation_id, checkout_session_id) references checkout_sessions,
  foreign key (organisation_id, coupon_id) references coupons,
  foreign key (organisation_id, transaction_id) references transactions,
  check ((coupon_id is null) = (coupon_subject is null)),
  constraint checkout_payments_tax_exempt check (not tax_exempt or tax_cents is null)
);
create index checkout_payments_coupon on checkout_payments (organisation_id, coupon_id) where coupon_id is not null;
create index checkout_payments_session on checkout_payments (organisation_id, checkout_session_id);

-- Every customer subscription that a checkout session has made, whether or not a payment of it was begun: a session sells one of them.
create table checkout_subscriptions (
  organisation_id text collate "C" not null,
  customer_subscription_id text collate "C" not null,
  checkout_session_id text collate "C" not null,
  primary key (organisation_id, customer_subscription_id),
  foreign key (organisation_id, checkout_session_id) references checkout_sessions,
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions
);
create index checkout_subscriptions_session on checkout_subscriptions (organisation_id, checkout_session_id);

-- ---------------------------------------------------------------- books

create table journal_entries (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  kind text not null check (kind = any ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,
    credit_application,reversal,credit_refund,offline_payment_reversal,bank_match,bank_match_reversal,credit_note_refund,
    credit_note_refund_reversal}')),
  subject text collate "C" not null,
  occurred_at timestamptz not null,
  description text not null,
  primary key (organisation_id, id),
  unique (organisation_id, kind, subject)
);

create table journal_lines (
  organisation_id text collate "C" not null,
  entry_id text collate "C" not null,
  line smallint not null,
  account text not null
    check (account = any ('{receivable,revenue,vat_output,gateway_clearing,gateway_fees,customer_credit,refunds,bank,bank_reconciled,
      bank_charges,own_transfers}')),
  customer_id text collate "C",
  amount_cents bigint not null check (amount_cents <> 0), -- debit above zero, credit below
  currency text not null,
  occurred_at timestamptz not null,             -- the entry's, here so that a statement reads a customer's lines by time
  gateway_account_id text collate "C",          -- here so that a payout is compared with an account's lines
  primary key (organisation_id, entry_id, line),
  foreign key (organisation_id, entry_id) references journal_entries
);
create index journal_lines_customer on journal_lines (organisation_id, customer_id, currency, occurred_at, entry_id) include (amount_cents)
  where customer_id is not null and account in ('receivable', 'customer_credit');
create index journal_lines_dated_by on journal_lines (organisation_id, occurred_at) include (account, currency, amount_cents);
create index journal_lines_gateway_account on journal_lines (organisation_id, gateway_account_id, occurred_at)
  where gateway_account_id is not null;

-- Months of the books that are closed: every month up to the last of them. Nothing is posted into a closed month.
create table accounting_months (
  organisation_id text collate "C" not null references organisations,
  month date not null check (extract(day from month) = 1),
  closed_at timestamptz not null,
  closed_by text,
  primary key (organisation_id, month)
);

-- The codes that a merchant's accounting software has for ledger accounts and VAT; what is not in it has its default.
create table accounting_software (
  organisation_id text collate "C" not null references organisations,
  software text collate "C" not null check (software in ('xero', 'sage', 'quickbooks')),
  codes jsonb not null,
  primary key (organisation_id, software)
);

-- What the overview adds up over many records, by figure, currency and South African day; kept by triggers (functions/add_to_day.sql).
create table day_sums (
  organisation_id text collate "C" not null references organisations,
  -- open: what open invoices owe, by their due dates (`infinity`: none). collected: payments, by the day on which they were paid. debits:
  -- those of them that are debit orders; debits_reversed and debits_returned: what of these a bank took back, and that with what was
  -- refunded, at most the debit, by the day of the debit, and how many debits it leaves nothing of. recurring: what subscriptions bring in
  -- a month, on the day `infinity`.
  figure text collate "C" not null check (figure = any ('{open,collected,debits,debits_reversed,debits_returned,recurring}')),
  currency text not null,
  day date not null,
  -- Each connection writes a row of its own, so that payments of one day do not wait for each other; `fold_day_sums` brings them together
  -- in slot 0.
  slot integer not null check (slot >= 0),
  amount_cents bigint not null,
  records bigint not null,
  primary key (organisation_id, figure, day, currency, slot)
) with (fillfactor = 50);
create index day_sums_new on day_sums (organisation_id) where slot > 0;
create policy gate on day_sums for select to tefo_gate using (true);
grant select on day_sums to tefo_gate;

-- ---------------------------------------------------------------- bank statements, and statements of gateways

-- Bank accounts of statements, each with the way its files are read.
create table reconciliation_accounts (
  organisation_id text collate "C" not null references organisations,
  account text not null check (account <> ''),
  mapping jsonb,
  updated_at timestamptz not null,
  gateway_account_id text collate "C",          -- the bank transfer account whose transfers arrive in it
  primary key (organisation_id, account),
  constraint reconciliation_accounts_gateway_account foreign key (organisation_id, gateway_account_id) references gateway_accounts
);

-- Rules by which lines with a text are matched, proposed by the service and decided by staff.
create table reconciliation_rules (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rcr\_%'),
  account text not null,
  fragment text not null check (fragment <> ''),
  direction text collate "C" not null check (direction in ('in', 'out')),
  kind text collate "C" not null check (kind in ('payout', 'bank_fee', 'own_transfer')),
  subject text collate "C",
  status text collate "C" not null check (status in ('proposed', 'accepted', 'declined')),
  item_id text collate "C" not null,
  decided_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account, fragment, direction),
  check ((subject is null) = (kind in ('bank_fee', 'own_transfer'))),
  check ((decided_at is null) = (status = 'proposed'))
);

-- Bank statements that were imported.
create table reconciliation_runs (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'rcn\_%'),
  source text collate "C" not null check (source in ('statement_feed', 'csv_upload')),
  account text not null check (account <> ''),
  gateway_account_id text collate "C",
  status text collate "C" not null check (status in ('running', 'completed', 'failed')),
  currency text not null,
  period_start date not null,
  period_end date not null,
  item_count integer not null check (item_count >= 0),
  matched_count integer not null check (matched_count >= 0),
  unmatched_count integer not null check (unmatched_count >= 0),
  not_received_count integer not null check (not_received_count >= 0),
  matched_cents bigint not null,
  unmatched_cents bigint not null,
  file_name text,
  failure text,
  started_at timestamptz not null,
  finished_at timestamptz,
  row_counts jsonb,                             -- what became of each row of an imported file
  warnings jsonb not null default '[]',         -- what staff should look at
  withdrawn_at timestamptz,
  withdrawn_by text,
  primary key (organisation_id, id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts,
  check (period_end >= period_start),
  check ((failure is not null) = (status = 'failed')),
  check ((finished_at is null) = (status = 'running')),
  check (item_count >= (matched_count + unmatched_count + not_received_count)),
  constraint reconciliation_runs_withdrawn_check check ((withdrawn_at is null) = (withdrawn_by is null))
);
create index reconciliation_runs_started on reconciliation_runs (organisation_id, started_at, id);

-- The lines of bank statements.
create table reconciliation_items (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'rci\_%'),
  run_id text collate "C" not null,
  place integer not null check (place >= 0),
  date date not null,
  description text not null,
  amount_cents bigint not null check (amount_cents <> 0),
  reference text,
  status text collate "C" not null check (status in ('matched', 'unmatched', 'not_received', 'duplicate', 'ignored')),
  line_key bytea,
  occurrence integer,
  transaction_reference text collate "C",
  match_id text collate "C",
  reason text collate "C",
  matched_by text,
  matched_at timestamptz,
  ignored_because text,                         -- why staff say that it is none of the organisation's
  -- a hash of the account and the bank's own id of the line; null: the file has none that can be trusted
  bank_key bytea,
  primary key (organisation_id, id),
  unique (organisation_id, run_id, place),
  foreign key (organisation_id, run_id) references reconciliation_runs,
  check ((match_id is not null) = (status = 'matched')),
  constraint reconciliation_items_check2 check ((line_key is null) = (status = 'not_received')
    and (line_key is null) = (occurrence is null)),
  constraint reconciliation_items_decided_check check ((matched_at is not null) = (status in ('matched', 'ignored'))),
  constraint reconciliation_items_ignored_check check ((ignored_because is not null) = (status = 'ignored'))
);
create index reconciliation_items_bank on reconciliation_items (organisation_id, bank_key) where bank_key is not null;
create index reconciliation_items_line on reconciliation_items (organisation_id, line_key)
  where line_key is not null and status <> 'duplicate';
create index reconciliation_items_status on reconciliation_items (organisation_id, status, id) where status <> 'matched';
alter table reconciliation_rules add foreign key (organisation_id, item_id) references reconciliation_items;

-- What a line of a bank statement is matched with: one match, in one or more parts.
create table reconciliation_allocations (
  organisation_id text collate "C" not null,
  match_id text collate "C" not null,
  place smallint not null check (place >= 0),
  item_id text collate "C" not null,
  kind text collate "C" not null check (kind in ('payment', 'refund', 'reversal', 'invoice_payment', 'credit_refund', 'customer_credit',
    'payout', 'bank_fee', 'own_transfer')),
  subject text collate "C",
  amount_cents bigint not null check (amount_cents <> 0),
  posted boolean not null,
  recorded boolean not null,
  undone_at timestamptz,
  -- The invoice whose payment a match recorded, also after the match is undone, which removes the payment: the VAT return on the payments
  -- basis is read by it.
  invoice_id text collate "C",
  primary key (organisation_id, match_id, place),
  foreign key (organisation_id, item_id) references reconciliation_items,
  check ((subject is null) = (kind in ('bank_fee', 'own_transfer')))
);
create index reconciliation_allocations_invoice on reconciliation_allocations (organisation_id, invoice_id) where invoice_id is not null;
create index reconciliation_allocations_item on reconciliation_allocations (organisation_id, item_id);
create index reconciliation_allocations_subject on reconciliation_allocations (organisation_id, subject)
  where undone_at is null and subject is not null;

-- Statements that a gateway makes of a day, as they are asked for and read.
create table gateway_statements (
  organisation_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  day date not null,
  ticket text collate "C",
  read_at timestamptz,
  primary key (organisation_id, gateway_account_id, day),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts on delete cascade
);

-- What a line of such a statement says of a payment, and whether it counts yet.
create table gateway_statement_lines (
  organisation_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  line text collate "C" not null,
  reference text collate "C" not null,
  fact jsonb not null,
  counts_from date,
  status text collate "C" not null check (status in ('waiting', 'applied', 'taken_back')),
  read_at timestamptz not null,
  primary key (organisation_id, gateway_account_id, line),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts on delete cascade
);
create index gateway_statement_lines_reference on gateway_statement_lines (organisation_id, gateway_account_id, reference);
create index gateway_statement_lines_waiting on gateway_statement_lines (organisation_id, gateway_account_id, counts_from, line)
  where status = 'waiting';

-- Customer credit that is paid out, and the payments whose credit it is.
create table credit_refunds (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'crf\_%'),
  customer_id text collate "C" not null,
  currency text not null,
  amount_cents bigint not null check (amount_cents > 0),
  method text collate "C" not null check (method = 'manual'),
  reason text,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers
);
create index credit_refunds_customer on credit_refunds (organisation_id, customer_id, id);

create table credit_refund_sources (
  organisation_id text collate "C" not null,
  credit_refund_id text collate "C" not null,
  line integer not null,
  transaction_id text collate "C",
  invoice_payment_id text collate "C",
  amount_cents bigint not null check (amount_cents > 0),
  match_id text collate "C",                    -- the part of a match that brought the credit
  match_place smallint,
  primary key (organisation_id, credit_refund_id, line),
  constraint credit_refund_sources_match_fkey foreign key (organisation_id, match_id, match_place)
    references reconciliation_allocations (organisation_id, match_id, place),
  foreign key (organisation_id, credit_refund_id) references credit_refunds,
  foreign key (organisation_id, invoice_payment_id) references invoice_payments,
  foreign key (organisation_id, transaction_id) references transactions,
  constraint credit_refund_sources_one_check
    check (num_nonnulls(transaction_id, invoice_payment_id, match_id) = 1 and (match_id is null) = (match_place is null))
);
create index credit_refund_sources_match on credit_refund_sources (organisation_id, match_id) where match_id is not null;
create index credit_refund_sources_payment on credit_refund_sources (organisation_id, invoice_payment_id)
  where invoice_payment_id is not null;
create index credit_refund_sources_transaction on credit_refund_sources (organisation_id, transaction_id) where transaction_id is not null;

-- ---------------------------------------------------------------- referrals

-- Clicks of an organisation's referral links, counted, and the sign-ups that partners have reported, each once by its click.
create table referral_clicks (
  organisation_id text collate "C" not null references organisations,
  partner text collate "C" not null,
  clicks bigint not null check (clicks > 0),
  primary key (organisation_id, partner)
);

create table referral_sign_ups (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'rfc\_%'),
  partner text collate "C" not null,
  signed_up_at timestamptz not null,
  primary key (organisation_id, id)
);

-- ---------------------------------------------------------------- the sandbox gateway's own books

-- What a real gateway keeps on its side; the sandbox gateway's pages and its API alone use it.
create table sandbox_payments (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,         -- whose merchant it plays for
  checkout_id text collate "C",                 -- names the payer's page; null without one
  reference text collate "C" not null,          -- the merchant's; later collections of a subscription repeat it
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  status text not null check (status in ('pending', 'complete', 'failed', 'cancelled')),
  fee_cents bigint check (fee_cents >= 0),
  details jsonb not null,
  created_at timestamptz not null,
  decided_at timestamptz,
  -- charges, renewals and debits settle by themselves
  kind text not null default 'checkout' check (kind in ('checkout', 'charge', 'renewal', 'debit')),
  settles_at timestamptz,                       -- when it does; null: its payer decides, or somebody has decided before
  subscription_id text collate "C",             -- of a renewal, which collects for `due_on`
  due_on date,
  batch_id text collate "C",                    -- of a debit
  batch_line integer,                           -- its place in the batch, from 1
  primary key (organisation_id, id),
  unique (organisation_id, checkout_id),
  foreign key (organisation_id, account_id) references gateway_accounts on delete cascade
);
-- The merchant's references are the idempotency keys of charges and debits.
create unique index sandbox_payments_charge on sandbox_payments (organisation_id, account_id, reference) where kind in ('charge', 'debit');
create unique index sandbox_payments_checkout on sandbox_payments (organisation_id, account_id, reference) where checkout_id is not null;
create unique index sandbox_payments_line on sandbox_payments (organisation_id, batch_id, batch_line) where batch_id is not null;
create index sandbox_payments_reference on sandbox_payments (organisation_id, account_id, reference);
-- Each date of a subscription is collected once, each line of a batch is taken once.
create unique index sandbox_payments_renewal on sandbox_payments (organisation_id, subscription_id, due_on)
  where subscription_id is not null;

create table sandbox_refunds (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  payment_id text collate "C" not null,
  refund_id text collate "C" not null,          -- the merchant's
  amount_cents bigint not null check (amount_cents > 0),
  reason text,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, refund_id),
  foreign key (organisation_id, payment_id) references sandbox_payments on delete cascade
);
create index sandbox_refunds_payment on sandbox_refunds (organisation_id, payment_id);

-- What it collects without a payer: subscriptions, debit orders in batches, and the electronic mandates for these.
create table sandbox_subscriptions (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,         -- of the merchant
  reference text collate "C" not null,          -- of the payment that started it; its renewals repeat it
  status text not null check (status in ('active', 'past_due', 'paused', 'cancelled')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  frequency text not null check (frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  anchor date not null,                         -- dates are counted from it
  cycle integer not null check (cycle >= 0),    -- which of these dates is the next
  details jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account_id, reference),
  foreign key (organisation_id, account_id) references gateway_accounts on delete cascade
);
alter table sandbox_payments add foreign key (organisation_id, subscription_id) references sandbox_subscriptions on delete cascade;

create table sandbox_debit_batches (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  account_id text collate "C" not null,
  reference text collate "C" not null,          -- the merchant's
  action_date date not null,
  notify_url text not null,
  status text not null check (status in ('open', 'submitted')),
  lines integer not null check (lines between 0 and 50000),
  reported integer not null check (reported >= 0), -- how many lines are settled and reported
  created_at timestamptz not null,
  submitted_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, account_id, reference),
  foreign key (organisation_id, account_id) references gateway_accounts on delete cascade
);
alter table sandbox_payments add foreign key (organisation_id, batch_id) references sandbox_debit_batches on delete cascade;

create table sandbox_mandates (
  organisation_id text collate "C" not null,
  id text collate "C" not null,                 -- names the page where the payer signs
  account_id text collate "C" not null,
  account_reference text collate "C" not null,  -- the merchant's
  status text not null check (status in ('waiting', 'accepted', 'rejected')),
  reason text,
  amount_cents bigint not null check (amount_cents > 0),
  details jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, account_id, account_reference),
  foreign key (organisation_id, account_id) references gateway_accounts on delete cascade
);

-- ---------------------------------------------------------------- isolation
-- Each organisation sees and changes its own rows alone.
do $$
declare t regclass;
begin
  for t in
    select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'organisation_id'
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  loop
    execute format('alter table %s enable row level security', t);
    execute format('alter table %s force row level security', t);
    execute format('create policy tenant on %s using (organisation_id = app_organisation())
      with check (organisation_id = app_organisation())', t);
    execute format('grant select, insert, update, delete on %s to tefo_app', t);
  end loop;
end $$;
alter table organisations enable row level security;
alter table organisations force row level security;
create policy tenant on organisations using (id = app_organisation()) with check (id = app_organisation());

-- What only grows, what is replaced rather than changed, and what is never removed.
revoke delete on retention, erasures, coupon_redemptions from tefo_app;
revoke update, delete on events, audit_log, revisions, bank_detail_changes, customer_subscription_credits, customer_subscription_movements,
  journal_entries, journal_lines from tefo_app;
revoke update on request_log, notes, customer_words, plan_versions, customer_subscription_bills, customer_subscription_moves,
  checkout_subscriptions from tefo_app;

grant select, insert, update, delete on all tables in schema identity to tefo_identity;
insert into claim_turns (name) values ('due work');
