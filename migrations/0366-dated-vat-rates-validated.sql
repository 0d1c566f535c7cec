-- Apart from their making, so that writes wait for it no longer than for a moment.
alter table products validate constraint products_standard_rate;
alter table plan_versions validate constraint plan_versions_standard_rate;
