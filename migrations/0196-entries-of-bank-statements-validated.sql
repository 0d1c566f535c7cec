-- Every entry and line is of a kind and an account that there is.
alter table journal_entries validate constraint journal_entries_kind_check;
alter table journal_lines validate constraint journal_lines_account_check;
