-- The plan that a subscription changes to with its next renewal: it cannot be deleted.
alter table customer_subscriptions add column pending_plan_id text collate "C";
alter table customer_subscriptions add constraint customer_subscriptions_pending_plan_fkey
  foreign key (organisation_id, pending_plan_id) references plans (organisation_id, id);
create index customer_subscriptions_pending_plan on customer_subscriptions (organisation_id, pending_plan_id) where pending_plan_id is not null;
