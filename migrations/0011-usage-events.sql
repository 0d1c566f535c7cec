-- Usage events: each counts once in the quantity of a metered item of a customer subscription.

create table usage_events (
  organisation_id text collate "C" not null,
  id text collate "C" not null check (id like 'uev\_%'),
  event_id text collate "C" not null,           -- the merchant's own
  customer_subscription_id text collate "C" not null,
  item_id text collate "C" not null,            -- of the subscription's metered item, in its state
  item text collate "C" not null,               -- its code or id, as the event named it
  quantity numeric not null check (quantity >= 0),
  at timestamptz not null,
  properties jsonb not null,
  late boolean not null,                        -- of a day before the period that was open, so that the next bill has it
  received_at timestamptz not null,
  primary key (organisation_id, id),
  unique (organisation_id, event_id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions
);
create index usage_events_subscription on usage_events (organisation_id, customer_subscription_id, id);

-- The values that an item with aggregation `unique` has counted since its last bill: `round` names the time since then.
create table usage_values (
  organisation_id text collate "C" not null,
  round text collate "C" not null check (round like 'uvr\_%'),
  value text collate "C" not null,              -- SHA-256 of the value, in hexadecimal
  customer_subscription_id text collate "C" not null,
  primary key (organisation_id, round, value),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions
);
create index usage_values_subscription on usage_values (organisation_id, customer_subscription_id);

do $$
declare t text;
begin
  foreach t in array array['usage_events', 'usage_values'] loop
    execute format('alter table %s enable row level security', t);
    execute format('alter table %s force row level security', t);
    execute format('create policy tenant on %s using (organisation_id = app_organisation())
      with check (organisation_id = app_organisation())', t);
    execute format('grant select, insert, update, delete on %s to tefo_app', t);
  end loop;
end $$;
