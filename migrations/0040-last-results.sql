-- The last result of work on the installation as a whole that operators watch: a row a kind.
create table last_results (
  kind text collate "C" primary key check (kind in ('verify', 'backup')),
  ended_at timestamptz not null,
  faults integer not null check (faults >= 0)   -- that `verify` found
);
grant select, insert, update on last_results to tefo_app;
