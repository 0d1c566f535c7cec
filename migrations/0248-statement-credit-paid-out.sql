-- Credit that a line of a bank statement brought is paid out as well: the part of the match is its source.
alter table credit_refund_sources add column match_id text collate "C";
alter table credit_refund_sources add column match_place smallint;
alter table credit_refund_sources drop constraint credit_refund_sources_check;
alter table credit_refund_sources add constraint credit_refund_sources_one_check
  check (num_nonnulls(transaction_id, invoice_payment_id, match_id) = 1 and (match_id is null) = (match_place is null)) not valid;
alter table credit_refund_sources add constraint credit_refund_sources_match_fkey
  foreign key (organisation_id, match_id, match_place) references reconciliation_allocations (organisation_id, match_id, place) not valid;
create index credit_refund_sources_match on credit_refund_sources (organisation_id, match_id) where match_id is not null;
