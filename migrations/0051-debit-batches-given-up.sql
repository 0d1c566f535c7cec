-- When the gateway was no longer asked about debits of a batch that it had not decided.
alter table debit_batches add column given_up_at timestamptz;
