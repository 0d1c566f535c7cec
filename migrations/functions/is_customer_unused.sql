-- Whether no record refers to a customer, by every foreign key to customers; the words by which staff find them go with the customer.
create or replace function is_customer_unused(organisation text, customer text) returns boolean language plpgsql stable as $$
declare
  referring record;
  used boolean;
begin
  for referring in
    select c.conrelid::regclass as tab, a.attname as customer_column
      from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[2]
     where c.contype = 'f' and c.confrelid = 'customers'::regclass and c.conparentid = 0 and c.confdeltype <> 'c'
  loop
    execute format('select exists (select from %s where organisation_id = $1 and %I = $2)', referring.tab, referring.customer_column)
      into used using organisation, customer;
    if used then return false; end if;
  end loop;
  return true;
end $$;
