-- The payments that staff have to look at.
create index transactions_flagged on transactions (organisation_id, id) where flags <> '{}';
