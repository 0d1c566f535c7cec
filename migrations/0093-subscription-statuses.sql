-- Statuses and collection methods of every customer subscription, and who created it.
alter table customer_subscriptions drop constraint customer_subscriptions_status_check;
alter table customer_subscriptions add constraint customer_subscriptions_status_check
  check (status in ('scheduled', 'pending', 'trialing', 'active', 'past_due', 'paused', 'cancelled', 'expired'));
alter table customer_subscriptions drop constraint customer_subscriptions_collection_method_check;
alter table customer_subscriptions add constraint customer_subscriptions_collection_method_check
  check (collection_method in ('gateway', 'debit_order', 'invoice', 'manual', 'external'));
alter table customer_subscriptions add column source text collate "C" not null default 'api' check (source in ('api', 'checkout', 'import'));
