-- Balances are kept, not summed: no request reads a customer's history.

-- What a customer owes and what is held for them in one currency, moved by the statement that posts an entry. Its row is also the lock
-- that orders whatever changes what the customer owes.
create table customer_balances (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  currency text not null,
  receivable_cents bigint not null default 0, -- the lines on `receivable`: above zero the customer owes
  credit_cents bigint not null default 0,     -- the opposite of the lines on `customer_credit`: held for the customer
  posted boolean not null default false,      -- whether a line was posted; else the row was made to be locked
  primary key (organisation_id, customer_id, currency),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);
alter table customer_balances enable row level security;
create policy tenant on customer_balances using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on customer_balances to tefo_app;

-- A customer's open invoices of one currency and due date, moved by the statements that change invoices: what is overdue on a day is the
-- sum of the dates before it.
create table open_invoice_totals (
  organisation_id text collate "C" not null,
  customer_id text collate "C" not null,
  currency text not null,
  due_date date not null,                     -- infinity: invoices without one
  open_invoices integer not null,
  open_cents bigint not null,
  primary key (organisation_id, customer_id, currency, due_date),
  foreign key (organisation_id, customer_id) references customers (organisation_id, id)
);
alter table open_invoice_totals enable row level security;
create policy tenant on open_invoice_totals using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on open_invoice_totals to tefo_app;

-- One check per statement that writes lines, of the lines that it writes: it reads no table. An entry stays balanced when what each
-- statement adds to it and takes from it balances.
drop trigger journal_lines_balance on journal_lines;
drop function journal_entry_balances();
create function check_journal_balance() returns trigger language plpgsql as $$
declare
  unbalanced text;
begin
  if tg_op = 'INSERT' then
    select entry_id into unbalanced from posted group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  elsif tg_op = 'DELETE' then
    select entry_id into unbalanced from removed group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  else
    select entry_id into unbalanced
      from (select organisation_id, entry_id, currency, amount_cents from posted
            union all select organisation_id, entry_id, currency, -amount_cents from removed) changed
     group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  end if;
  if found then raise exception 'journal entry % does not balance', unbalanced using errcode = 'check_violation'; end if;
  return null;
end $$;

-- Whoever migrates reads and fills the rows of every organisation, also as an owner that row level security holds.
alter table journal_entries no force row level security;
alter table journal_lines no force row level security;
alter table transactions no force row level security;
alter table refunds no force row level security;
alter table invoices no force row level security;

-- The lines' own time and gateway account: a statement reads a customer's lines by time, and a payout is compared with an account's lines.
alter table journal_lines add column occurred_at timestamptz;
alter table journal_lines add column gateway_account_id text collate "C";
update journal_lines l set occurred_at = e.occurred_at from journal_entries e
 where e.organisation_id = l.organisation_id and e.id = l.entry_id;
update journal_lines l set gateway_account_id = t.gateway_account_id
  from journal_entries e join transactions t on t.organisation_id = e.organisation_id and t.reference = e.subject
 where e.organisation_id = l.organisation_id and e.id = l.entry_id and e.kind = 'payment' and l.account in ('gateway_clearing', 'gateway_fees');
update journal_lines l set gateway_account_id = t.gateway_account_id
  from journal_entries e join refunds r on r.organisation_id = e.organisation_id and r.id = e.subject
  join transactions t on t.organisation_id = r.organisation_id and t.id = r.transaction_id
 where e.organisation_id = l.organisation_id and e.id = l.entry_id and e.kind in ('refund', 'refund_reversal') and l.account = 'gateway_clearing';
alter table journal_lines alter column occurred_at set not null;
drop index journal_lines_customer;
create index journal_lines_customer on journal_lines (organisation_id, customer_id, currency, occurred_at, entry_id) include (amount_cents)
  where customer_id is not null and account in ('receivable', 'customer_credit');
create index journal_lines_gateway_account on journal_lines (organisation_id, gateway_account_id, occurred_at) where gateway_account_id is not null;
-- A line's customer is that of the invoice, the payment or the credit note that its entry is about, and its balance's.
alter table journal_lines drop constraint journal_lines_organisation_id_customer_id_fkey;

create trigger journal_lines_posted after insert on journal_lines
  referencing new table as posted for each statement execute function check_journal_balance();
create trigger journal_lines_changed after update on journal_lines
  referencing old table as removed new table as posted for each statement execute function check_journal_balance();
create trigger journal_lines_removed after delete on journal_lines
  referencing old table as removed for each statement execute function check_journal_balance();

-- By customer and status, newest first: the portal's lists.
create index invoices_customer_status on invoices (organisation_id, customer_id, status, id);

insert into customer_balances (organisation_id, customer_id, currency, receivable_cents, credit_cents, posted)
select organisation_id, customer_id, currency, coalesce(sum(amount_cents) filter (where account = 'receivable'), 0),
       coalesce(-sum(amount_cents) filter (where account = 'customer_credit'), 0), true
  from journal_lines where customer_id is not null and account in ('receivable', 'customer_credit')
 group by organisation_id, customer_id, currency;
insert into open_invoice_totals (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
select organisation_id, customer_id, currency, coalesce(due_date, 'infinity'), count(*), sum(total_cents - paid_cents)
  from invoices where status in ('sent', 'overdue', 'partially_paid')
 group by organisation_id, customer_id, currency, coalesce(due_date, 'infinity');

alter table customer_balances force row level security;
alter table open_invoice_totals force row level security;
alter table journal_entries force row level security;
alter table journal_lines force row level security;
alter table transactions force row level security;
alter table refunds force row level security;
alter table invoices force row level security;

-- The release before posts entries and changes invoices while processes restart, or after somebody went back to it, and knows nothing of
-- balances: for its connections, which do not set `app.keeps_balances`, triggers keep them. The release after the next drops these.
-- A distributed database, where a trigger of one node cannot write another table, has no such release before.
create function date_journal_line() returns trigger language plpgsql as $$
begin
  select e.occurred_at, case when new.account in ('gateway_clearing', 'gateway_fees') then coalesce(t.gateway_account_id, u.gateway_account_id) end
    into new.occurred_at, new.gateway_account_id
    from journal_entries e
    left join transactions t on t.organisation_id = e.organisation_id and e.kind = 'payment' and t.reference = e.subject
    left join refunds r on r.organisation_id = e.organisation_id and e.kind in ('refund', 'refund_reversal') and r.id = e.subject
    left join transactions u on u.organisation_id = r.organisation_id and u.id = r.transaction_id
   where e.organisation_id = new.organisation_id and e.id = new.entry_id;
  return new;
end $$;
create function keep_customer_balances() returns trigger language plpgsql as $$
begin
  if current_setting('app.keeps_balances', true) = 'on' then return null; end if;
  insert into customer_balances as b (organisation_id, customer_id, currency, receivable_cents, credit_cents, posted)
  select organisation_id, customer_id, currency, coalesce(sum(amount_cents) filter (where account = 'receivable'), 0),
         coalesce(-sum(amount_cents) filter (where account = 'customer_credit'), 0), true
    from posted where customer_id is not null and account in ('receivable', 'customer_credit')
   group by organisation_id, customer_id, currency order by 1, 2, 3
  on conflict (organisation_id, customer_id, currency) do update set posted = true,
    receivable_cents = b.receivable_cents + excluded.receivable_cents, credit_cents = b.credit_cents + excluded.credit_cents;
  return null;
end $$;
create function keep_open_invoice_totals() returns trigger language plpgsql as $$
declare
  was_open integer := 0;
  was_due bigint := 0;
  is_open integer := (new.status in ('sent', 'overdue', 'partially_paid'))::integer;
begin
  if tg_op = 'UPDATE' then
    was_open := (old.status in ('sent', 'overdue', 'partially_paid'))::integer;
    was_due := was_open * (old.total_cents - old.paid_cents);
  end if;
  insert into open_invoice_totals as t (organisation_id, customer_id, currency, due_date, open_invoices, open_cents)
  select new.organisation_id, new.customer_id, new.currency, coalesce(new.due_date, 'infinity'), is_open - was_open,
         is_open * (new.total_cents - new.paid_cents) - was_due
   where is_open <> was_open or is_open * (new.total_cents - new.paid_cents) <> was_due
  on conflict (organisation_id, customer_id, currency, due_date) do update
    set open_invoices = t.open_invoices + excluded.open_invoices, open_cents = t.open_cents + excluded.open_cents;
  delete from open_invoice_totals
   where organisation_id = new.organisation_id and customer_id = new.customer_id and currency = new.currency
     and due_date = coalesce(new.due_date, 'infinity') and open_invoices = 0;
  return null;
end $$;
do $$
begin
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  create trigger journal_lines_dated before insert on journal_lines
    for each row when (new.occurred_at is null) execute function date_journal_line();
  create trigger journal_lines_kept after insert on journal_lines
    referencing new table as posted for each statement execute function keep_customer_balances();
  create trigger invoices_kept after insert or update on invoices
    for each row when (current_setting('app.keeps_balances', true) is distinct from 'on') execute function keep_open_invoice_totals();
end $$;
