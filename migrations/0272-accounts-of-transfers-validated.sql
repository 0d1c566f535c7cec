-- Apart from its making, so that writes wait for it no longer than for a moment.
alter table reconciliation_accounts validate constraint reconciliation_accounts_gateway_account;
