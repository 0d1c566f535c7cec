-- Months of the books that are closed: every month up to the last of them. Nothing is posted into a closed month.
create table accounting_months (
  organisation_id text collate "C" not null,
  month date not null check (extract(day from month) = 1),
  closed_at timestamptz not null,
  closed_by text,
  primary key (organisation_id, month),
  foreign key (organisation_id) references organisations (id)
);
alter table accounting_months enable row level security;
alter table accounting_months force row level security;
create policy tenant on accounting_months using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on accounting_months to tefo_app;

create index journal_lines_dated_by on journal_lines (organisation_id, occurred_at) include (account, currency, amount_cents);

create function refuse_closed_month() returns trigger
 language plpgsql
as $function$
declare
  tenant text;
begin
  for tenant in select distinct organisation_id from posted loop
    if exists (select from posted p where p.organisation_id = tenant and p.occurred_at < (
        select (max(m.month) + interval '1 month')::timestamp at time zone 'Africa/Johannesburg' from accounting_months m
         where m.organisation_id = tenant)) then
      raise exception 'a journal entry is posted into a closed month';
    end if;
  end loop;
  return null;
end $function$;
create trigger journal_entries_in_open_month after insert on journal_entries referencing new table as posted
  for each statement execute function refuse_closed_month();
create trigger journal_lines_in_open_month after insert on journal_lines referencing new table as posted
  for each statement execute function refuse_closed_month();
