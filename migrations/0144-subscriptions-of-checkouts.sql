-- Every customer subscription that a checkout session has made, whether or not a payment of it was begun: a session sells one of them.
create table checkout_subscriptions (
  organisation_id text collate "C" not null,
  customer_subscription_id text collate "C" not null,
  checkout_session_id text collate "C" not null,
  primary key (organisation_id, customer_subscription_id),
  foreign key (organisation_id, customer_subscription_id) references customer_subscriptions (organisation_id, id),
  foreign key (organisation_id, checkout_session_id) references checkout_sessions (organisation_id, id)
);
create index checkout_subscriptions_session on checkout_subscriptions (organisation_id, checkout_session_id);
grant select, insert, delete on checkout_subscriptions to tefo_app;

alter table organisations no force row level security;
alter table checkout_sessions no force row level security;
alter table checkout_payments no force row level security;
alter table transactions no force row level security;
alter table customer_subscriptions no force row level security;
do $$
declare tenant text;
begin
  for tenant in select id from organisations order by id loop
    insert into checkout_subscriptions (organisation_id, customer_subscription_id, checkout_session_id)
    select tenant, s.id, min(made.session)
      from (select k.subscription_id as id, k.id as session from checkout_sessions k
             where k.organisation_id = tenant and k.package_id is not null and k.subscription_id is not null
            union all
            select t.subscription_id, p.checkout_session_id from checkout_payments p
              join transactions t on t.organisation_id = tenant and t.id = p.transaction_id
             where p.organisation_id = tenant) made
      join customer_subscriptions s on s.organisation_id = tenant and s.id = made.id
     group by s.id;
  end loop;
end $$;
alter table organisations force row level security;
alter table checkout_sessions force row level security;
alter table checkout_payments force row level security;
alter table transactions force row level security;
alter table customer_subscriptions force row level security;

alter table checkout_subscriptions enable row level security;
alter table checkout_subscriptions force row level security;
create policy tenant on checkout_subscriptions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
