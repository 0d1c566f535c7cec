-- When the collection of a subscription's invoice first failed, as `subscription_collections` says it: invoices that were missed are few, and are found and
-- added up by indexes of their own, where every collection that failed led to its invoice.
alter table invoices add column missed_at timestamptz;

-- Whoever migrates reads and fills the rows of every organisation, also as an owner that row level security holds.
alter table invoices no force row level security;
alter table subscription_collections no force row level security;
lock table subscription_collections in share row exclusive mode;
do $$
declare
  tenant text;
begin
  for tenant in select distinct organisation_id from subscription_collections where missed_at is not null loop
    update invoices i set missed_at = k.missed_at
      from subscription_collections k where i.organisation_id = tenant and k.organisation_id = tenant and k.invoice_id = i.id and k.missed_at is not null;
  end loop;
end $$;
alter table invoices force row level security;
alter table subscription_collections force row level security;

-- A trigger, so that processes of the last release keep it too.
create function keep_missed_invoice() returns trigger language plpgsql as $$
begin
  update invoices set missed_at = new.missed_at where organisation_id = new.organisation_id and id = new.invoice_id;
  return null;
end $$;
create trigger subscription_collections_made after insert on subscription_collections for each row
  when (new.missed_at is not null) execute function keep_missed_invoice();
create trigger subscription_collections_missed after update on subscription_collections for each row
  when (old.missed_at is distinct from new.missed_at) execute function keep_missed_invoice();

create index invoices_missed on invoices (organisation_id, missed_at) include (currency, total_cents, paid_cents)
 where missed_at is not null and status = any ('{sent,overdue,partially_paid}');
create index invoices_recovered on invoices (organisation_id, paid_at) include (missed_at, currency, total_cents)
 where missed_at is not null and status = 'paid';
