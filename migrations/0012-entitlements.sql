-- What plans include (their features), and what each customer's subscriptions therefore entitle to.

-- `[{key, type, value}]`. They belong to the plan, not to a version of its price: a change is for everyone who is subscribed.
alter table plans add column features jsonb not null default '[]';

-- What each customer was told last: `[{key, type, value}]` of the last event `customer.entitlements.changed`. What holds now is always
-- computed from the subscriptions; this says whether it is news.
create table customer_entitlements (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  entitlements jsonb not null default '[]',
  primary key (organisation_id, customer_id),
  foreign key (organisation_id, customer_id) references customers
);
alter table customer_entitlements enable row level security;
alter table customer_entitlements force row level security;
create policy tenant on customer_entitlements using (organisation_id = app_organisation())
  with check (organisation_id = app_organisation());
grant select, insert, update, delete on customer_entitlements to tefo_app;
