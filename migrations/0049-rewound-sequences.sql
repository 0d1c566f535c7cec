-- Numbers of events that a rewind of the clock has taken back, so that none is given twice: after a rewind the events of a subject go on
-- with `sequence`, which follows `after_sequence`. Rows are written by the function rewind_clock alone, and stay when the clock is rewound.
create table event_resumptions (
  organisation_id text collate "C" not null references organisations,
  subject text collate "C" not null,
  sequence integer not null,
  after_sequence integer not null,
  primary key (organisation_id, subject, sequence),
  constraint event_resumptions_check check (after_sequence >= 0 and sequence > after_sequence)
);
alter table event_resumptions enable row level security;
alter table event_resumptions force row level security;
create policy tenant on event_resumptions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select on event_resumptions to tefo_app;
