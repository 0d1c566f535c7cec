-- The version of the interface that an event's data was written by, which its deliveries name; and the events of one type, newest first.

alter table events add column api_version text not null default '1.16.0';
create index events_type on events (organisation_id, type, id);
