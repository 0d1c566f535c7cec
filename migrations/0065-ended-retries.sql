-- When the charge of the stored card that a retry asked for ended, by the machine's clock: a request that was under way then collects nothing more.
alter table subscription_retries add column ended_at timestamptz;
