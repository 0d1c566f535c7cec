-- The bodies of requests and of refusals, masked (docs/interface, 14.4).
alter table request_log add column request_body text collate "C";
alter table request_log add column response_body text collate "C";

-- It takes the bodies too, and its file makes it again.
drop function if exists log_requests(text[], text[], timestamptz[], text[], text[], text[], smallint[], text[], integer[], text[], text[], text[]);
