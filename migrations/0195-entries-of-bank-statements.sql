-- Entries of what bank statements show, and the ledger accounts that they move.
alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind = any
  ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,credit_application,reversal,credit_refund,offline_payment_reversal,bank_match,bank_match_reversal}')) not valid;
alter table journal_lines drop constraint journal_lines_account_check;
alter table journal_lines add constraint journal_lines_account_check check (account = any
  ('{receivable,revenue,vat_output,gateway_clearing,gateway_fees,customer_credit,refunds,bank,bank_reconciled,bank_charges,own_transfers}')) not valid;
