-- Both facts of a withdrawn statement are there, or neither.
alter table reconciliation_runs validate constraint reconciliation_runs_withdrawn_check;
