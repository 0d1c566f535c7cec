-- What is sold as a subscription: packages, their plans, and each price that a plan has had.
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
alter table packages enable row level security;
alter table packages force row level security;
create policy tenant on packages using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on packages to tefo_app;

create table plans (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  package_id text collate "C" not null,
  code text collate "C",
  name text not null,
  enabled boolean not null,
  call_to_action text collate "C" not null check (call_to_action in ('none', 'contact_us', 'link')),
  call_to_action_url text,
  plan_version_id text collate "C" not null,     -- the price for those who subscribe from now on
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, code),
  foreign key (organisation_id, package_id) references packages (organisation_id, id)
);
create index plans_package on plans (organisation_id, package_id, id);
alter table plans enable row level security;
alter table plans force row level security;
create policy tenant on plans using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on plans to tefo_app;

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
  cycles integer check (cycles > 0),             -- how often it is billed; null: without end
  created_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, plan_id, number),
  foreign key (organisation_id, plan_id) references plans (organisation_id, id)
);
alter table plan_versions enable row level security;
alter table plan_versions force row level security;
create policy tenant on plan_versions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
-- A version never changes, because subscriptions are billed by it.
grant select, insert, delete on plan_versions to tefo_app;
-- A plan and its first version are inserted by one statement, at whose end both keys hold.
alter table plans add foreign key (organisation_id, plan_version_id) references plan_versions (organisation_id, id);
