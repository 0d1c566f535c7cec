-- Each part of a credit refund has one source, which there is.
alter table credit_refund_sources validate constraint credit_refund_sources_one_check;
alter table credit_refund_sources validate constraint credit_refund_sources_match_fkey;
