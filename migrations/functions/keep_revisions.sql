-- Keeps revisions of a table, of all columns but those that move with each payment or are encrypted. A migration that gives a table of this
-- list a column calls it again, and says so in its first lines (`-- functions: keep_revision, keep_revisions`). The role is the service's:
-- nobody else changes records.
create or replace function keep_revisions(of_table regclass, moving text[]) returns void
language plpgsql as $$
declare
  changed text;
  arguments text;
begin
  select string_agg(format('old.%1$I is distinct from new.%1$I', a.attname), ' or ' order by a.attnum) into changed
    from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attname <> all (moving);
  select coalesce(string_agg(quote_literal(m), ', '), '') into arguments from unnest(moving) m;
  execute format('create or replace trigger %I after insert on %s for each row when (current_user = ''tefo_app'') execute function keep_revision(%s)',
    of_table || '_made', of_table, arguments);
  execute format('create or replace trigger %I after update on %s for each row when (current_user = ''tefo_app'' and (%s)) execute function keep_revision(%s)',
    of_table || '_revised', of_table, changed, arguments);
end $$;

-- The tables whose revisions are kept, each with the columns that are left out.
select keep_revisions('card_setups', '{}');
select keep_revisions('cards', '{token_sealed,last_used_at,updated_at}');
select keep_revisions('debit_batches', '{debits,amount_cents}');
select keep_revisions('gateway_subscriptions', '{handle_sealed,card_token_sealed,updated_at}');
select keep_revisions('mandate_agreements', '{document}');
select keep_revisions('mandates', '{account_number_sealed,id_number_sealed,next_debit_date,last_debit_date,last_action_date,last_collected_at,updated_at}');
select keep_revisions('subscription_migrations', '{}');
select keep_revisions('subscription_retries', '{}');
