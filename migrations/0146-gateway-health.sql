-- How a gateway account fares where no payment says so: notifications that were refused, calls without a clear answer. By the machine's clock.
create table gateway_health (
  organisation_id text collate "C" not null,
  gateway_account_id text collate "C" not null,
  refused_count bigint not null default 0 check (refused_count >= 0),
  last_refused_at timestamptz,
  last_refusal text,
  unclear_count bigint not null default 0 check (unclear_count >= 0),
  unclear_in_a_row bigint not null default 0 check (unclear_in_a_row between 0 and unclear_count),
  last_unclear_at timestamptz,
  last_unclear text,
  primary key (organisation_id, gateway_account_id),
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id) on delete cascade
);
alter table gateway_health enable row level security;
alter table gateway_health force row level security;
create policy tenant on gateway_health using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on gateway_health to tefo_app;
