-- Until this release no mandate had a subscription.
alter table mandates add constraint mandates_subscription_fkey
  foreign key (organisation_id, subscription_id) references customer_subscriptions (organisation_id, id);
