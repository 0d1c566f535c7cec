-- What a record said after each change that the service made of it, so that a change by hand is found (tefo verify).
create table revisions (
  organisation_id text collate "C" not null references organisations (id),
  subject text collate "C" not null,
  -- From 1 on; 0 is what a record said when revisions began to be kept.
  number integer not null check (number >= 0),
  facts jsonb not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (organisation_id, subject, number)
);
alter table revisions enable row level security;
alter table revisions force row level security;
create policy tenant on revisions using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert on revisions to tefo_app;

-- Its arguments are the columns that are left out. In UTC, since facts are compared as text.
create function keep_revision() returns trigger
 language plpgsql
 set timezone to 'UTC'
as $function$
begin
  insert into revisions (organisation_id, subject, number, facts)
  select new.organisation_id, new.id, 1 + coalesce(max(r.number), 0), to_jsonb(new) - 'organisation_id' - 'id' - coalesce(tg_argv, '{}')
    from revisions r where r.organisation_id = new.organisation_id and r.subject = new.id;
  return null;
end $function$;

-- Keeps revisions of a table, of all columns but those that move with each payment or are encrypted; called again when it gets a column. The role is
-- the service's: nobody else changes records.
create function keep_revisions(of_table regclass, moving text[]) returns void
 language plpgsql
as $function$
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
end $function$;

select keep_revisions('cards', '{token_sealed,last_used_at,updated_at}');
select keep_revisions('card_setups', '{}');
select keep_revisions('mandates', '{account_number_sealed,id_number_sealed,next_debit_date,last_debit_date,last_action_date,last_collected_at,updated_at}');
select keep_revisions('mandate_agreements', '{document}');
select keep_revisions('debit_batches', '{debits,amount_cents}');
select keep_revisions('gateway_subscriptions', '{handle_sealed,card_token_sealed,updated_at}');
select keep_revisions('subscription_migrations', '{}');
select keep_revisions('subscription_retries', '{}');
