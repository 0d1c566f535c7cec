-- The prefixes that an organisation has chosen for a kind of document, the present one last; none: the usual one. The earlier ones stay, since
-- the numbers that were given with them do.
alter table document_numbers add column prefixes text[] not null default '{}';
