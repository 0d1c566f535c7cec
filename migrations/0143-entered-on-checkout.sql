-- What the payer last entered on the page of a session: its form begins with it again. What the merchant gave stays in `prefill`.
alter table checkout_sessions add column entered jsonb not null default '{}';
