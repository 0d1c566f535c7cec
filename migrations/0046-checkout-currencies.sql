-- The currency in which a session offers the plans of its package; null: each plan's own.
alter table checkout_sessions add column currency text;
