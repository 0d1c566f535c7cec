-- A debit that staff hold back before its batch is submitted: who, when and why; and the later debit that makes up for it.
alter table debits add column held_at timestamptz;
alter table debits add column held_by text collate "C";
alter table debits add column held_reason text collate "C";
alter table debits add column held_from text collate "C";
alter table debits add foreign key (organisation_id, held_from) references transactions (organisation_id, id);
alter table debits add constraint debits_held_check check (held_at is null or withdrawn);
create unique index debits_held_from on debits (organisation_id, held_from) where held_from is not null;
create index debits_held on debits (organisation_id, mandate_id) where held_at is not null;
