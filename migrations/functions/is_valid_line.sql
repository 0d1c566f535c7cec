-- What holds for each line of an invoice; amounts in cents.
create or replace function is_valid_line(line smallint, quantity numeric, unit_price numeric, tax_rate numeric, amount bigint, tax bigint)
returns boolean language plpgsql immutable parallel safe as $$
begin
  return line > 0 and quantity > 0 and unit_price >= 0 and tax_rate between 0 and 100 and amount >= 0 and tax >= 0;
end $$;
