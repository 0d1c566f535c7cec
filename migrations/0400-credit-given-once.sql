-- What a credit for unused days gave back of the bill that had charged them, with VAT: no more of this bill is refunded or credited.
alter table customer_subscription_credits add column gross_cents bigint;
