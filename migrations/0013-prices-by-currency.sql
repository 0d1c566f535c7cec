-- Prices of a plan in other currencies than its own: `[{currency, amount, setupFee}]`, in cents. They belong to the version of the price.

alter table plan_versions add column prices jsonb not null default '[]';
