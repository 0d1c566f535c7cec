-- Prices of plans by tiers, and units that are included in them.

alter table plan_versions add column tiering jsonb;
