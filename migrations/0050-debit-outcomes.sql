-- Why a debit came back unpaid, in the bank's words.
alter table debits add column unpaid_reason text;
