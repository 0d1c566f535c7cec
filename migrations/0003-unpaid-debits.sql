-- functions: keep_revision, keep_revisions

-- Why and when a debit was returned unpaid, and the link on which its payer can still pay it.
alter table debits add column unpaid_code text;
alter table debits add column unpaid_at timestamptz;
alter table debits add column pay_link_id text collate "C";
alter table debits add foreign key (organisation_id, pay_link_id) references payment_links (organisation_id, id);
create index debits_unpaid on debits (organisation_id, transaction_id) where unpaid_at is not null;

-- When the last debit of a batch had its result.
alter table debit_batches add column completed_at timestamptz;
select keep_revisions('debit_batches', '{debits,amount_cents}');
