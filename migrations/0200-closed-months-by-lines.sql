-- The date of an entry is that of its lines, which `refuse_closed_month` looks at: once is enough.
drop trigger journal_entries_in_open_month on journal_entries;
