-- What the sandbox gateway is told to do next (docs/interface, 13.9). A step is used once, by the attempt that it matches.
create table sandbox_outcomes (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'sbo\_%'),
  kind text collate "C" not null check (kind in ('payment', 'card_charge', 'renewal', 'debit', 'refund')),
  customer_id text collate "C",
  subscription_id text collate "C",
  nth integer check (nth >= 1),
  outcome text collate "C" not null
    check (outcome in ('complete', 'declined', 'insufficient_funds', 'card_error', 'pending', 'unclear', 'disputed')),
  delay_days integer not null check (delay_days >= 0),
  seen integer not null default 0,    -- attempts that it matched
  used_by text collate "C",           -- the reference of the attempt
  used_at timestamptz,
  created_at timestamptz not null,
  primary key (organisation_id, id)
);
create index sandbox_outcomes_waiting on sandbox_outcomes (organisation_id, id) where used_at is null;
alter table sandbox_outcomes enable row level security;
alter table sandbox_outcomes force row level security;
create policy tenant on sandbox_outcomes using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on sandbox_outcomes to tefo_app;
