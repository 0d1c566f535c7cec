-- Another amount that the gateway may have collected: the one before the last change, for collections until then; without a time, one that the
-- gateway was asked for and has not confirmed.
alter table gateway_subscriptions add column other_amount_cents bigint check (other_amount_cents > 0);
alter table gateway_subscriptions add column other_amount_until timestamptz;
alter table gateway_subscriptions add constraint gateway_subscriptions_other_amount check (other_amount_cents is not null or other_amount_until is null);
