-- What an API key may do, until when and from where (docs/interface, 14.2): no scopes means all but what needs a permission.
alter table api_keys add column scopes text[] collate "C";
alter table api_keys add column expires_at timestamptz;
alter table api_keys add column allowed_addresses text[] collate "C" not null default '{}';
alter table api_keys add column strict boolean not null default false;
alter table api_keys add column last_used_on date;

-- It returns more columns, and its file makes it again.
drop function if exists admit_requests(text[], integer, text[], bytea[], integer[], bigint);
