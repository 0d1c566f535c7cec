-- Keeps the sum of recurring revenue by currency, on the day `infinity` (add_to_day).
create or replace function keep_recurring_sums() returns trigger language plpgsql as $$
declare
  was text;
  now_in text;
begin
  if current_setting('app.rewinding', true) = 'on' then return null; end if; -- rewind_clock
  -- A plan may have prices in several currencies: the subscription says in which it is billed.
  if tg_op <> 'INSERT' then was := old.state -> 'terms' -> 'price' ->> 'currency'; end if;
  if tg_op <> 'DELETE' then now_in := new.state -> 'terms' -> 'price' ->> 'currency'; end if;
  if was = now_in then
    perform add_to_day(new.organisation_id, 'recurring', was, 'infinity', new.mrr_cents - old.mrr_cents,
      (new.mrr_cents <> 0)::integer - (old.mrr_cents <> 0)::integer);
    return null;
  end if;
  if was is not null then perform add_to_day(old.organisation_id, 'recurring', was, 'infinity', -old.mrr_cents, -(old.mrr_cents <> 0)::integer); end if;
  if now_in is not null then perform add_to_day(new.organisation_id, 'recurring', now_in, 'infinity', new.mrr_cents, (new.mrr_cents <> 0)::integer); end if;
  return null;
end $$;

create or replace trigger customer_subscriptions_changed after update on customer_subscriptions for each row
  when (old.mrr_cents <> new.mrr_cents or new.mrr_cents <> 0 and old.plan_version_id is distinct from new.plan_version_id)
  execute function keep_recurring_sums();
create or replace trigger customer_subscriptions_made after insert on customer_subscriptions for each row when (new.mrr_cents <> 0)
  execute function keep_recurring_sums();
create or replace trigger customer_subscriptions_removed after delete on customer_subscriptions for each row when (old.mrr_cents <> 0)
  execute function keep_recurring_sums();
