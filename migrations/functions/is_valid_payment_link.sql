-- What holds for each payment link; amounts in cents.
create or replace function is_valid_payment_link(amount bigint, recurring_frequency text, recurring_amount bigint, invoice_id text,
  collects_balance boolean, paid_count integer)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return amount between 1 and 1000000000
     and (recurring_frequency is null) = (recurring_amount is null)
     and (recurring_amount is null or recurring_amount > 0)
     and (invoice_id is not null or not collects_balance)
     and paid_count >= 0;
end $$;
