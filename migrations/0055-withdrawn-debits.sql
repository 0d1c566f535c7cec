-- Taken out of its batch before that was sent, because its mandate was paused or cancelled meanwhile.
alter table debits add column withdrawn boolean not null default false;
-- A batch of which nothing was left to send is cancelled.
alter table debit_batches drop constraint debit_batches_status_check;
alter table debit_batches add constraint debit_batches_status_check
  check (status in ('open', 'submitting', 'submitted', 'refused', 'cancelled'));
