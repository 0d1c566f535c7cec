-- What holds for the amounts, times and status of each invoice (decisions.md#conditions-in-one-function); amounts in cents.
create or replace function is_valid_invoice(status text, subtotal bigint, tax bigint, total bigint, paid bigint, issued_at timestamptz,
  paid_at timestamptz, cancelled_at timestamptz, period_start date, period_end date)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return subtotal >= 0 and tax >= 0 and total > 0 and subtotal + tax = total and paid between 0 and total
     and case when status in ('draft', 'sent', 'overdue') then paid = 0
              when status = 'partially_paid' then paid > 0 and paid < total
              when status = 'paid' then paid = total
              else true end
     and (status = 'paid') = (paid_at is not null)
     and (status = 'cancelled') = (cancelled_at is not null)
     and (issued_at is not null or status in ('draft', 'cancelled'))
     and (period_start is null) = (period_end is null);
end $$;
