-- Snapshots of sandbox organisations, to which their clocks are rewound.

create table clock_snapshots (
  organisation_id text collate "C" not null references organisations,
  id text collate "C" not null check (id like 'snap\_%'),
  name text,
  clock_at timestamptz not null,
  schema_version text not null default '',  -- the last migration that its rows follow
  sealed_under text not null,         -- the beginning of its sealed values, which names their key
  created_at timestamptz not null,    -- by the machine's clock
  primary key (organisation_id, id)
);
alter table clock_snapshots enable row level security;
alter table clock_snapshots force row level security;
create policy tenant on clock_snapshots using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, insert, update, delete on clock_snapshots to tefo_app;

-- The rows of all tables, some hundred together. The functions keep_clock_snapshot and rewind_clock alone write and read them.
create table clock_snapshot_rows (
  organisation_id text collate "C" not null,
  snapshot_id text collate "C" not null,
  table_name text collate "C" not null,
  place bigint not null,
  rows json not null,
  primary key (organisation_id, snapshot_id, table_name, place),
  foreign key (organisation_id, snapshot_id) references clock_snapshots (organisation_id, id) on delete cascade
);
alter table clock_snapshot_rows enable row level security;
alter table clock_snapshot_rows force row level security;
create policy tenant on clock_snapshot_rows using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, delete on clock_snapshot_rows to tefo_app;
