-- A refund with a credit note: the note is issued when the refund is booked, once.

alter table refunds add column with_credit_note boolean not null default false;

alter table credit_notes add column refund_id text collate "C";
alter table credit_notes add foreign key (organisation_id, refund_id) references refunds;
create unique index credit_notes_refund on credit_notes (organisation_id, refund_id) where refund_id is not null;
