-- What an adapter needs to act on a subscription may be reported before the subscription begins here, and only then: it is kept encrypted with
-- the report that could not be applied yet.
alter table gateway_notifications add column handle_sealed text;
