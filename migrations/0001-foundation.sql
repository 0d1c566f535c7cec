-- The ground everything stands on. Rules: docs/architecture.md and design 4.
-- Every tenant table has organisation_id first in its keys and one row level security policy.

-- ---------------------------------------------------------------- roles
do $$
begin
  if not exists (select from pg_roles where rolname = 'tefo_app') then create role tefo_app nologin; end if;
  if not exists (select from pg_roles where rolname = 'tefo_gate') then create role tefo_gate nologin; end if;
exception when duplicate_object or unique_violation then null; -- another database of this cluster was first
end $$;
grant tefo_app, tefo_gate to current_user;
grant usage on schema public to tefo_app, tefo_gate;

create function app_organisation() returns text language sql stable parallel safe
  return nullif(current_setting('app.organisation_id', true), '');

-- ---------------------------------------------------------------- organisations and their people
create table organisations (
  id text collate "C" primary key,
  slug text not null unique check (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name text not null,
  plan text not null check (plan in ('starter', 'growth', 'business', 'enterprise')),
  state text not null check (state in ('trial', 'active', 'suspended', 'cancelled')),
  trial_ends_at timestamptz,
  sandbox boolean not null,
  clock_at timestamptz,                       -- null: real time; else the clock stands still here (contract 4)
  clock_moving_until timestamptz,             -- lease of a clock move under way; machine time
  limits jsonb not null default '{}',         -- replaces quotas of the plan
  rate_limit integer check (rate_limit > 0),  -- requests a minute and key; null: the default
  token_key_sealed text not null,             -- signs the organisation's capability links
  created_at timestamptz not null
);

create table organisation_settings (
  organisation_id text collate "C" primary key references organisations,
  settings jsonb not null default '{}',
  logo bytea                                  -- beside the settings, which every page reads; they hold its path
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

create table members (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  user_id text collate "C" not null,
  email text not null,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'finance', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, user_id)
);
create index members_user on members (user_id);

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

create table allowed_return_urls (
  organisation_id text collate "C" not null references organisations,
  origin text collate "C" not null,
  primary key (organisation_id, origin)
);

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

-- ---------------------------------------------------------------- customers and products
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
  unique (organisation_id, account_code),
  unique (organisation_id, external_reference)
);
create index customers_email on customers (organisation_id, lower(email), id);

create table portal_links (
  organisation_id text collate "C" not null references organisations,
  token_hash bytea not null,
  customer_id text collate "C" not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, token_hash),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);

create table portal_sessions (
  organisation_id text collate "C" not null references organisations,
  token_hash bytea not null,
  customer_id text collate "C" not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  primary key (organisation_id, token_hash),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);

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
  primary key (organisation_id, id)
);

-- ---------------------------------------------------------------- payment links and transactions
create table payment_links (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  title text not null,
  description text,
  amount_cents bigint not null check (amount_cents between 1 and 1000000000),
  currency text not null,
  external_reference text collate "C",
  return_url text,
  metadata jsonb not null default '{}',
  recurring_frequency text check (recurring_frequency in ('monthly', 'quarterly', 'biannually', 'annually')),
  recurring_amount_cents bigint check (recurring_amount_cents > 0),
  single_use boolean not null,
  active boolean not null default true,
  expires_at timestamptz,
  paid_count integer not null default 0 check (paid_count >= 0),
  customer_id text collate "C",
  product_id text collate "C",
  created_by_key text collate "C",
  created_at timestamptz not null,
  primary key (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  foreign key (organisation_id, product_id) references products (organisation_id, id),
  check ((recurring_frequency is null) = (recurring_amount_cents is null))
);
create index payment_links_external_reference on payment_links (organisation_id, external_reference, id)
  where external_reference is not null;
create index payment_links_customer on payment_links (organisation_id, customer_id, id) where customer_id is not null;

create table transactions (
  organisation_id text collate "C" not null references organisations,
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
  checkout_ref text,                          -- the gateway's id of the checkout, which need not be the payment's
  payer_email text,
  payment_link_id text collate "C",
  customer_id text collate "C",
  external_reference text collate "C",
  metadata jsonb not null default '{}',
  renewal boolean not null default false,
  parent_reference text collate "C",
  subscription_id text collate "C",
  handoff_sealed text,                        -- what the payer's browser takes to the gateway
  flags text[] not null default '{}',         -- for staff: overpaid, notification_mismatch, refund_failed
  overpaid_cents bigint not null default 0 check (overpaid_cents between 0 and amount_cents),
  paid_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, reference),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id),
  foreign key (organisation_id, payment_link_id) references payment_links (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id),
  check ((paid_at is null) = (status in ('pending', 'failed', 'cancelled')))
);
create index transactions_link on transactions (organisation_id, payment_link_id, id) where payment_link_id is not null;
create index transactions_customer on transactions (organisation_id, customer_id, id) where customer_id is not null;
create index transactions_paid on transactions (organisation_id, paid_at) where paid_at is not null;

create table refunds (
  organisation_id text collate "C" not null references organisations,
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
  primary key (organisation_id, id),
  unique (organisation_id, refund_number),
  foreign key (organisation_id, transaction_id) references transactions (organisation_id, id),
  check ((processed_at is null) = (status <> 'processed'))
);
create index refunds_transaction on refunds (organisation_id, transaction_id, id);

create table gateway_notifications (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  reference text collate "C",
  source text not null check (source in ('notification', 'query', 'payer', 'sweep')),
  fact jsonb not null,
  outcome text not null check (outcome in ('applied', 'repeated', 'mismatch', 'unknown_reference')),
  problem text,
  received_at timestamptz not null,
  primary key (organisation_id, id)
);
create index gateway_notifications_reference on gateway_notifications (organisation_id, reference, id);

-- ---------------------------------------------------------------- books
create table journal_entries (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  kind text not null check (kind in ('payment', 'refund', 'refund_reversal')),
  subject text collate "C" not null,
  occurred_at timestamptz not null,
  description text not null,
  primary key (organisation_id, id),
  unique (organisation_id, kind, subject)
);

create table journal_lines (
  organisation_id text collate "C" not null references organisations,
  entry_id text collate "C" not null,
  line smallint not null,
  account text not null check (account in ('receivable', 'revenue', 'vat_output', 'gateway_clearing', 'gateway_fees',
    'customer_credit', 'refunds', 'bank')),
  customer_id text collate "C",
  amount_cents bigint not null check (amount_cents <> 0),   -- debit above zero, credit below
  currency text not null,
  primary key (organisation_id, entry_id, line),
  foreign key (organisation_id, entry_id) references journal_entries (organisation_id, id),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);
create index journal_lines_customer on journal_lines (organisation_id, customer_id, account) where customer_id is not null;

create function journal_entry_balances() returns trigger language plpgsql as $$
begin
  if exists (select from journal_lines where organisation_id = new.organisation_id and entry_id = new.entry_id
              group by currency having sum(amount_cents) <> 0) then
    raise exception 'journal entry % of % does not balance', new.entry_id, new.organisation_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger journal_lines_balance after insert or update on journal_lines
  deferrable initially deferred for each row execute function journal_entry_balances();

-- ---------------------------------------------------------------- events, webhooks, mail
-- Ids begin with their time, so a range of ids is a range of time: these tables are partitioned by id.
create table events (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  subject text collate "C" not null,
  sequence integer not null,
  data json not null,                          -- json, not jsonb: fields stay in the order of the API's objects
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
  previous_secret_sealed text,                 -- signs too for a day after the rotation
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
  subject text collate "C" not null,           -- of the event: what is about one subject is sent in order
  endpoint_id text collate "C" not null,
  body text not null,                          -- fixed at event time; the very bytes that are signed
  status text not null check (status in ('pending', 'delivered', 'failed', 'parked')),
  attempts jsonb not null default '[]',
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id)
) partition by range (id);
create index webhook_deliveries_event on webhook_deliveries (organisation_id, event_id, endpoint_id);
create index webhook_deliveries_endpoint on webhook_deliveries (organisation_id, endpoint_id, id);
create index webhook_deliveries_open on webhook_deliveries (organisation_id, status, id) where status <> 'delivered';

create table emails (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null,
  dedupe_key text collate "C" not null,
  kind text not null,
  recipients text[] not null,
  reply_to text,
  from_name text not null,
  subject text not null,
  text_body text not null,
  html_body text not null,
  status text not null check (status in ('recorded', 'queued', 'sending', 'sent', 'failed', 'unknown')),
  error text,
  created_at timestamptz not null,
  sent_at timestamptz,
  primary key (organisation_id, id),
  unique (organisation_id, dedupe_key)
);

-- ---------------------------------------------------------------- due work (design 5.4)
create table due_work (
  organisation_id text collate "C" not null references organisations,
  kind text not null,
  subject text collate "C" not null,
  lane text collate "C" not null,              -- what shares a fate and keeps its order: an endpoint, else the kind
  due_at timestamptz not null,
  ripe boolean not null default false,         -- due by the organisation's clock
  held boolean not null default false,         -- waits for the next move of the organisation's own clock
  attempts integer not null default 0,
  lease_token text,
  lease_until timestamptz,                     -- machine time
  parked_at timestamptz,
  last_error text,
  primary key (organisation_id, kind, subject)
);
create index due_work_ripe on due_work (organisation_id, lane, due_at, subject) where ripe and parked_at is null;
create index due_work_pending on due_work (due_at) where not ripe and not held and parked_at is null;
create index due_work_held on due_work (organisation_id, due_at) where held and parked_at is null;
alter table due_work set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

-- ---------------------------------------------------------------- idempotency, audit, rate windows
create table idempotency_keys (
  organisation_id text collate "C" not null,
  key text collate "C" not null,
  method text not null,
  path text collate "C" not null,
  recorded_at timestamptz not null,            -- machine time
  body_hash bytea not null,
  status smallint not null,
  reply_sealed text not null,
  primary key (organisation_id, key, method, path, recorded_at)
) partition by range (recorded_at);

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

create unlogged table rate_windows (
  scope text collate "C" primary key,
  window_start bigint not null,                -- Unix seconds, machine time
  count integer not null
);
alter table rate_windows set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- ---------------------------------------------------------------- partitions
/** First id of its kind at a moment: the head of 48 bits of milliseconds, as kernel/ids.ts writes it. */
create function first_id_at(prefix text, at timestamptz) returns text language plpgsql immutable as $$
declare
  ms bigint := floor(extract(epoch from at) * 1000);
  text_of text := '';
begin
  if prefix = 'evt' then return 'evt_' || lpad(to_hex(ms), 12, '0'); end if;
  for i in 1..10 loop
    text_of := substr('0123456789abcdefghjkmnpqrstvwxyz', (ms % 32)::int + 1, 1) || text_of;
    ms := ms / 32;
  end loop;
  return prefix || '_' || text_of;
end $$;

create function add_partition(parent text, name text, lower_bound text, upper_bound text) returns void language plpgsql as $$
begin
  if to_regclass(format('public.%I', name)) is not null then return; end if;
  execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, lower_bound, upper_bound);
  execute format('alter table %I enable row level security', name);
  execute format('alter table %I force row level security', name);
  execute format('create policy tenant on %I using (organisation_id = app_organisation()) with check (organisation_id = app_organisation())', name);
end $$;

/**
 * Makes the partitions that the next weeks need and drops those past retention (design 4.9).
 * Runs as the owner of the tables; the service may call it and nothing else of the kind.
 */
create function maintain_partitions(at timestamptz) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  month timestamptz;
  day timestamptz;
  old record;
begin
  perform pg_advisory_xact_lock(hashtext('tefo partitions'));
  for i in 0..2 loop
    month := date_trunc('month', at, 'UTC') + make_interval(months => i);
    perform add_partition(p.parent, p.parent || '_' || to_char(month at time zone 'UTC', 'YYYYMM'),
      first_id_at(p.prefix, month), first_id_at(p.prefix, (month at time zone 'UTC' + interval '1 month') at time zone 'UTC'))
      from (values ('events', 'evt'), ('webhook_deliveries', 'whd'), ('audit_log', 'aud')) p(parent, prefix);
  end loop;
  for i in 0..7 loop
    day := date_trunc('day', at, 'UTC') + make_interval(days => i);
    perform add_partition('idempotency_keys', 'idempotency_keys_' || to_char(day at time zone 'UTC', 'YYYYMMDD'),
      day::text, (day + interval '1 day')::text);
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     where (p.relname in ('events', 'webhook_deliveries') and right(c.relname, 6) ~ '^\d{6}$'
              and right(c.relname, 6) < to_char(at - interval '13 months', 'YYYYMM'))
        or (p.relname = 'audit_log' and right(c.relname, 6) < to_char(at - interval '61 months', 'YYYYMM'))
        or (p.relname = 'idempotency_keys' and right(c.relname, 8) < to_char(at - interval '2 days', 'YYYYMMDD'))
  loop
    execute format('drop table %I', old.relname);
  end loop;
end $$;

-- ---------------------------------------------------------------- the gate: what is known before the organisation is
-- In plpgsql, not sql: its plans are kept from call to call.
/** Counts one request in a fixed window and answers the count (spec part 8). Never durable, shared by all processes. */
create function count_request(p_scope text, p_window bigint) returns integer language plpgsql as $$
declare
  counted integer;
begin
  insert into rate_windows as w (scope, window_start, count) values (p_scope, p_window, 1)
  on conflict (scope) do update set window_start = excluded.window_start,
    count = case when w.window_start = excluded.window_start then w.count + 1 else 1 end
  returning count into counted;
  return counted;
end $$;

/**
 * Lets in a batch of API requests: counts each address, then resolves each key and counts it when its secret is right. Requests past
 * p_limit of their address get no key. Rows are locked in the order of their scopes, so that batches never wait for each other in a ring.
 */
create function admit_requests(p_addresses text[], p_limit integer, p_prefixes text[], p_hashes bytea[], p_window bigint)
returns table (n bigint, address_requests bigint, key_id text, secret_hash bytea, permissions text[], key_requests bigint,
  id text, slug text, name text, plan text, state text, trial_ends_at timestamptz, sandbox boolean, clock_at timestamptz, limits jsonb,
  rate_limit integer, token_key_sealed text, created_at timestamptz)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
begin
  return query
  with asked as materialized (
    select a.* from unnest(p_addresses, p_prefixes, p_hashes) with ordinality as a(address, prefix, hash, n)),
  addresses as (
    insert into rate_windows as w (scope, window_start, count)
    select 'ip:' || address, p_window, count(*) from asked group by address order by 1
    on conflict (scope) do update set window_start = excluded.window_start,
      count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
    returning scope, count),
  counted as (
    select a.*, c.count - count(*) over (partition by a.address) + row_number() over (partition by a.address order by a.n) as requests
      from asked a join addresses c on c.scope = 'ip:' || a.address),
  known as materialized (
    select c.*, k.id as key, k.secret_hash as stored, k.permissions as granted, k.organisation_id as owner, k.secret_hash = c.hash as valid
      from counted c left join api_keys k on c.requests <= p_limit and k.prefix = c.prefix and k.revoked_at is null),
  keys as (
    insert into rate_windows as w (scope, window_start, count)
    select 'key:' || key, p_window, count(*) from known where valid group by key order by 1
    on conflict (scope) do update set window_start = excluded.window_start,
      count = case when w.window_start = excluded.window_start then w.count + excluded.count else excluded.count end
    returning scope, count)
  select k.n, k.requests, k.key, k.stored, k.granted,
         c.count - count(*) over (partition by k.key, k.valid) + row_number() over (partition by k.key, k.valid order by k.n),
         o.id, o.slug, o.name, o.plan, o.state, o.trial_ends_at, o.sandbox, o.clock_at, o.limits, o.rate_limit, o.token_key_sealed, o.created_at
    from known k left join keys c on k.valid and c.scope = 'key:' || k.key left join organisations o on o.id = k.owner
   order by k.n;
end $$;

create function organisation_by_slug(p_slug text) returns setof organisations
language sql stable security definer set search_path = public, pg_temp as
$$ select * from organisations where slug = p_slug $$;

create function organisation_of_gateway_account(p_id text) returns setof organisations
language sql stable security definer set search_path = public, pg_temp as
$$ select o.* from gateway_accounts g join organisations o on o.id = g.organisation_id where g.id = p_id $$;

create function organisation_of_api_key(p_id text) returns setof organisations
language sql stable security definer set search_path = public, pg_temp as
$$ select o.* from api_keys k join organisations o on o.id = k.organisation_id where k.id = p_id $$;

create function memberships_of(p_user text)
returns table (member_id text, email text, name text, role text, organisation jsonb)
language sql stable security definer set search_path = public, pg_temp as
$$ select m.id, m.email, m.name, m.role, to_jsonb(o) from members m join organisations o on o.id = m.organisation_id
    where m.user_id = p_user order by m.created_at, m.id $$;

create function all_organisations() returns setof organisations
language sql stable security definer set search_path = public, pg_temp as
$$ select * from organisations order by id $$;

/**
 * Leases due work. Lanes are visited in turn, beginning after the given one, so that none waits for another's backlog, and each
 * gives at most its room: of p_rooms that of "organisation lane", else that of "lane", else p_room. Of a kind at most its number in
 * p_kinds is leased, by lot. `reached` is where the next claim begins; null when every lane was visited. One process at a time works
 * a lane, in order of due time. An organisation whose clock is set has due what its own clock has passed, and nothing while its clock
 * is being moved (design 5.4).
 */
create function claim_due_work(p_after_organisation text, p_after_lane text, p_limit integer, p_room integer, p_rooms jsonb,
  p_kinds jsonb, p_lease_seconds integer, p_token text)
returns table (organisation_id text, kind text, subject text, lane text, due_at timestamptz, attempts integer, organisation jsonb,
  reached_organisation text, reached_lane text)
language plpgsql security definer set search_path = public, pg_temp as $$
#variable_conflict use_column
declare
  at timestamptz;
begin
  -- Two claims at once would each see a lane that nobody works.
  perform pg_advisory_xact_lock(hashtext('tefo claim'));
  at := clock_timestamp();
  update due_work w set ripe = o.clock_at is null or w.due_at <= o.clock_at, held = o.clock_at is not null and w.due_at > o.clock_at
    from organisations o
   where o.id = w.organisation_id and (w.organisation_id, w.kind, w.subject) in (
     select organisation_id, kind, subject from due_work
      where not ripe and not held and parked_at is null and due_at <= at
      order by due_at limit 1000 for update skip locked);
  return query
    with recursive lanes as (
      (select w.organisation_id, w.lane from due_work w
        where w.ripe and w.parked_at is null and (w.organisation_id, w.lane) > (p_after_organisation, p_after_lane)
        order by w.organisation_id, w.lane limit 1)
      union all
      select n.organisation_id, n.lane from lanes l cross join lateral (
        select w.organisation_id, w.lane from due_work w
         where w.ripe and w.parked_at is null and (w.organisation_id, w.lane) > (l.organisation_id, l.lane)
         order by w.organisation_id, w.lane limit 1) n),
    picked as (
      select w.organisation_id, l.lane, w.kind, w.subject, w.due_at from lanes l cross join lateral (
        select d.organisation_id, d.kind, d.subject, d.due_at from due_work d
         where d.organisation_id = l.organisation_id and d.lane = l.lane and d.ripe and d.parked_at is null
           and (d.lease_until is null or d.lease_until < at)
         order by d.due_at, d.subject
         limit coalesce((p_rooms ->> (l.organisation_id || ' ' || l.lane))::integer, (p_rooms ->> l.lane)::integer, p_room)
         for update skip locked) w
       where coalesce((select o.clock_moving_until < at or o.clock_moving_until is null from organisations o where o.id = l.organisation_id), false)
         and not exists (
           select from (select d.lease_until, d.lease_token from due_work d
                         where d.organisation_id = l.organisation_id and d.lane = l.lane and d.ripe and d.parked_at is null
                         order by d.due_at, d.subject limit 64) head
            where head.lease_until > at and head.lease_token <> p_token)
       limit p_limit),
    drawn as (
      select p.*, row_number() over (partition by p.kind order by lot, p.due_at, p.subject) as place
        from picked p join (select q.organisation_id, q.lane, random() as lot from picked q group by q.organisation_id, q.lane) lots
          using (organisation_id, lane)),
    reached as (
      select max(p.organisation_id) as organisation_id, (array_agg(p.lane order by p.organisation_id desc, p.lane desc))[1] as lane
        from picked p having count(*) >= p_limit),
    leased as (
      update due_work d set attempts = d.attempts + 1, lease_token = p_token, lease_until = at + make_interval(secs => p_lease_seconds)
        from drawn p
       where d.organisation_id = p.organisation_id and d.kind = p.kind and d.subject = p.subject
         and p.place <= coalesce((p_kinds ->> p.kind)::integer, p_limit)
      returning d.organisation_id, d.kind, d.subject, d.lane, d.due_at, d.attempts)
    select l.organisation_id, l.kind, l.subject, l.lane, l.due_at, l.attempts, to_jsonb(o), r.organisation_id, r.lane
      from leased l join organisations o on o.id = l.organisation_id left join reached r on true
     order by l.organisation_id, l.lane, l.due_at, l.subject;
end $$;

/** Renews leases of a process that is still at work. */
create function renew_due_work(p_token text, p_organisations text[], p_kinds text[], p_subjects text[], p_lease_seconds integer) returns void
language sql security definer set search_path = public, pg_temp as $$
  update due_work d set lease_until = clock_timestamp() + make_interval(secs => p_lease_seconds)
    from unnest(p_organisations, p_kinds, p_subjects) as held(organisation_id, kind, subject)
   where d.organisation_id = held.organisation_id and d.kind = held.kind and d.subject = held.subject and d.lease_token = p_token
$$;

/** For operators: depth, oldest, parked, per kind. */
create function due_work_summary() returns table (kind text, waiting bigint, due bigint, running bigint, parked bigint, oldest_due timestamptz)
language sql stable security definer set search_path = public, pg_temp as $$
  select kind, count(*) filter (where parked_at is null),
         count(*) filter (where parked_at is null and not held and due_at <= clock_timestamp()),
         count(*) filter (where lease_until > clock_timestamp()), count(*) filter (where parked_at is not null),
         min(due_at) filter (where parked_at is null and not held and due_at <= clock_timestamp())
    from due_work group by kind order by kind
$$;

/**
 * Waits for a running request with the same key, then fails with TEFO1 when its reply is stored (spec 4.1).
 * First statement of a keyed request's transaction.
 */
create function claim_idempotency_key(p_key text, p_method text, p_path text) returns void language plpgsql as $$
declare
  since timestamptz := clock_timestamp() - interval '24 hours';
begin
  perform pg_advisory_xact_lock(hashtextextended(app_organisation() || ' ' || p_method || ' ' || p_path || ' ' || p_key, 0));
  -- With both bounds only the partitions of those days are looked into.
  if exists (select from idempotency_keys where organisation_id = app_organisation() and key = p_key and method = p_method
              and path = p_path and recorded_at > since and recorded_at < since + interval '2 days') then
    raise exception 'stored' using errcode = 'TEFO1';
  end if;
end $$;

/** Asks for work, due by the organisation's clock; asked again before it is done, its time is replaced and its attempts begin anew. */
create function enqueue_due_work(p_kind text, p_subject text, p_due timestamptz, p_lane text default null) returns void language plpgsql as $$
declare
  clock timestamptz;
  is_due boolean;
begin
  select clock_at into clock from organisations where id = app_organisation();
  if clock is not null then
    -- A move of the clock waits for what is being asked for now, rather than pass it by.
    select clock_at into clock from organisations where id = app_organisation() for share;
  end if;
  is_due := p_due <= coalesce(clock, clock_timestamp());
  insert into due_work as w (organisation_id, kind, subject, lane, due_at, ripe, held)
  values (app_organisation(), p_kind, p_subject, coalesce(p_lane, p_kind), p_due, is_due, clock is not null and not is_due)
  on conflict (organisation_id, kind, subject) do update
    set lane = excluded.lane, due_at = excluded.due_at, ripe = excluded.ripe, held = excluded.held, attempts = 0, lease_token = null,
        lease_until = null, parked_at = null, last_error = null;
  -- Commits that notify wait for each other, so one of those under way does it for all: who is woken claims until nothing is left.
  if is_due and pg_try_advisory_xact_lock(hashtext('tefo wake')) then perform pg_notify('tefo_due_work', ''); end if;
end $$;

-- ---------------------------------------------------------------- isolation
do $$
declare t text;
begin
  foreach t in array array['organisation_settings', 'api_keys', 'members', 'invitations', 'allowed_return_urls', 'gateway_accounts', 'customers',
    'portal_links', 'portal_sessions', 'products', 'payment_links', 'transactions', 'refunds', 'gateway_notifications',
    'journal_entries', 'journal_lines', 'events', 'event_subjects', 'webhook_endpoints', 'webhook_deliveries', 'emails',
    'due_work', 'idempotency_keys', 'audit_log'] loop
    execute format('alter table %I enable row level security', t);
    execute format('alter table %I force row level security', t);
    execute format('create policy tenant on %I using (organisation_id = app_organisation()) with check (organisation_id = app_organisation())', t);
    execute format('grant select, insert, update, delete on %I to tefo_app', t);
  end loop;
end $$;
alter table organisations enable row level security;
alter table organisations force row level security;
create policy tenant on organisations using (id = app_organisation()) with check (id = app_organisation());
grant select, insert, update on organisations to tefo_app;
revoke update, delete on events, journal_entries, journal_lines, audit_log from tefo_app;
grant select, insert, update, delete on rate_windows to tefo_app, tefo_gate;

-- The gate reads look-ups, counts requests and leases work; it sees no money and no person.
create policy gate on organisations for select to tefo_gate using (true);
create policy gate on api_keys for select to tefo_gate using (true);
create policy gate on members for select to tefo_gate using (true);
create policy gate on gateway_accounts for select to tefo_gate using (true);
create policy gate on due_work to tefo_gate using (true) with check (true);
grant select on organisations, api_keys, members to tefo_gate;
grant select (organisation_id, id) on gateway_accounts to tefo_gate;
grant select, update on due_work to tefo_gate;

grant create on schema public to tefo_gate;
alter function admit_requests owner to tefo_gate;
alter function organisation_by_slug owner to tefo_gate;
alter function organisation_of_gateway_account owner to tefo_gate;
alter function organisation_of_api_key owner to tefo_gate;
alter function memberships_of owner to tefo_gate;
alter function all_organisations owner to tefo_gate;
alter function claim_due_work owner to tefo_gate;
alter function renew_due_work owner to tefo_gate;
alter function due_work_summary owner to tefo_gate;
revoke create on schema public from tefo_gate;
revoke execute on function maintain_partitions from public;
grant execute on function maintain_partitions to tefo_app;

select maintain_partitions(clock_timestamp());
