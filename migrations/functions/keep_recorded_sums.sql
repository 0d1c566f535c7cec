-- Keeps the sums of payments that staff recorded on invoices (add_to_day): `recorded`, by the day on which the money came.
create or replace function keep_recorded_sums() returns trigger language plpgsql as $$
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  if tg_op <> 'INSERT' and old.source = 'offline' then
    perform add_to_day(old.organisation_id, 'recorded', v.currency, day_of(old.paid_at), -old.amount_cents, -1) from invoices v
      where v.organisation_id = old.organisation_id and v.id = old.invoice_id;
  end if;
  if tg_op <> 'DELETE' and new.source = 'offline' then
    perform add_to_day(new.organisation_id, 'recorded', v.currency, day_of(new.paid_at), new.amount_cents, 1) from invoices v
      where v.organisation_id = new.organisation_id and v.id = new.invoice_id;
  end if;
  return null;
end $$;

create or replace trigger invoice_payments_recorded after insert on invoice_payments for each row when (new.source = 'offline')
  execute function keep_recorded_sums();
create or replace trigger invoice_payments_rerecorded after update on invoice_payments for each row
  when ((new.source = 'offline' or old.source = 'offline') and (new.amount_cents, new.paid_at, new.source) is distinct from (old.amount_cents, old.paid_at, old.source))
  execute function keep_recorded_sums();
create or replace trigger invoice_payments_unrecorded after delete on invoice_payments for each row when (old.source = 'offline')
  execute function keep_recorded_sums();
