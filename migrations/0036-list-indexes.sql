-- Each filter of a list has an index in the order of the list, so that a rare value is not looked for in all records.
create index webhook_deliveries_type on webhook_deliveries (organisation_id, event_type, id);
create index request_log_key on request_log (organisation_id, key_id, id);
create index usage_events_late on usage_events (organisation_id, id) where late;
create index checkout_sessions_status on checkout_sessions (organisation_id, status, id);
create index disputes_status on disputes (organisation_id, status, id);
create index mandates_status on mandates (organisation_id, status, id);
create index customer_subscriptions_status on customer_subscriptions (organisation_id, status, id);
create index gateway_subscriptions_status on gateway_subscriptions (organisation_id, status, id);
