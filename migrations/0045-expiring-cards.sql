-- The cards that expire within 30 days, which the home page names; not those that were saved again since.
create index cards_expiring on cards (organisation_id, customer_id) where told_expiring_at is not null and status = 'active';
