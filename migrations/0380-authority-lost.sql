-- A mandate whose account holder says that there is no authority to debit, and when a new agreement was signed after that.
alter table mandates add column authority_lost_at timestamptz;
alter table mandates add column authority_renewed_at timestamptz;
alter table mandates add constraint mandates_authority_lost_check check (authority_lost_at is null or status in ('paused', 'cancelled'));
select keep_revisions('mandates', '{account_number_sealed,id_number_sealed,next_debit_date,last_debit_date,last_action_date,last_collected_at,updated_at}');
