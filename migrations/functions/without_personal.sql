-- A JSON value without what is personal in it, by the names of its fields. The merchant's words on a customer's records name people too.
create or replace function without_personal(value jsonb) returns jsonb language plpgsql immutable parallel safe as $$
begin
  case jsonb_typeof(value)
    when 'object' then
      return (select coalesce(jsonb_object_agg(f.key, case
          when f.key = any ('{metadata,prefill,entered}') then case jsonb_typeof(f.value) when 'object' then '{}'::jsonb else 'null'::jsonb end
          when f.key = any ('{email,payerEmail,payer_email,customerEmail,firstName,first_name,lastName,last_name,company,companyName,phone,address,vatNumber,vat_number,holderName,holder_name,payerName,payer_name,accountHolder,account_holder,signerName,signer_name,acceptedBy,accepted_by,notes,cancelReason,cancel_reason,rejectionReason,rejection_reason,recipient,recipients,ip,text,html}')
            and jsonb_typeof(f.value) in ('string', 'array') then 'null'::jsonb
          -- The merchant's own name of a person.
          when f.key = any ('{externalReference,external_reference}') and ($1 ? 'email' or $1 ->> 'id' like 'cus\_%') then 'null'::jsonb
          -- What must be there is replaced. A reason that is a code, such as insufficient_funds, names nobody.
          when f.key = any ('{title,description,details,reason}') and jsonb_typeof(f.value) = 'string'
            and not (f.key = 'reason' and f.value #>> '{}' ~ '^[a-z0-9_]+$') then '"erased"'::jsonb
          else without_personal(f.value) end), '{}'::jsonb) from jsonb_each(value) f);
    when 'array' then
      return (select coalesce(jsonb_agg(without_personal(e.value) order by e.place), '[]'::jsonb)
                from jsonb_array_elements(value) with ordinality as e(value, place));
    else
      return value;
  end case;
end $$;
