-- Organisations that had the setting chargeDefaultCardWhenDue before it did anything: their daily work begins.
alter table organisations no force row level security;
alter table organisation_settings no force row level security;
alter table due_work no force row level security;
do $$
declare
  tenant record;
begin
  for tenant in
    select s.organisation_id, coalesce(o.clock_at, clock_timestamp()) as at from organisation_settings s join organisations o on o.id = s.organisation_id
     where s.settings ->> 'chargeDefaultCardWhenDue' = 'true' order by s.organisation_id
  loop
    perform enqueue_due_works(tenant.organisation_id, array['card_charge.due_invoices'], array[tenant.organisation_id], array[tenant.at], array['card_charge.due_invoices']);
  end loop;
end $$;
alter table organisations force row level security;
alter table organisation_settings force row level security;
alter table due_work force row level security;
