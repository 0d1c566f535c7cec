-- Flags of gateway subscriptions for staff: one that was cancelled, paused, resumed or changed in the gateway's own dashboard.
alter table gateway_subscriptions add column flags text[] not null default '{}';
select keep_revisions('gateway_subscriptions', '{handle_sealed,card_token_sealed,updated_at}');
