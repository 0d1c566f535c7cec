-- The bank transfer account whose transfers arrive at a bank account of statements.
alter table reconciliation_accounts add column gateway_account_id text collate "C";
alter table reconciliation_accounts add constraint reconciliation_accounts_gateway_account
  foreign key (organisation_id, gateway_account_id) references gateway_accounts (organisation_id, id) not valid;
