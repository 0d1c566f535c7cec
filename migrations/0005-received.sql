-- What was received, by the day on which the money came (functions/receipts_of.sql): the sums of days beside those of payments, and what
-- its rows are found by.
-- functions: receipts_of, received_sums_of, keep_recorded_sums, keep_shown_sums, keep_refunded_sums, keep_reversed_sums, keep_paid_out_sums

-- recorded: what payments that staff recorded, and lines of bank statements, add to `collected`, by the day on which the money came; below
-- zero where a line shows a transfer on another day than the one on which it was approved. refunded: what was given back of payments and
-- credit, by the day of the refund. reversed: what banks took back, by the day on which that was booked.
alter table day_sums drop constraint day_sums_figure_check;
alter table day_sums add constraint day_sums_figure_check
  check (figure = any ('{open,collected,debits,debits_reversed,debits_returned,recurring,recorded,refunded,reversed}'));

create index invoice_payments_recorded on invoice_payments (organisation_id, paid_at) where source = 'offline';
create index refunds_made on refunds (organisation_id, created_at);
create index credit_refunds_made on credit_refunds (organisation_id, created_at);
create index reversals_booked on reversals (organisation_id, reversed_at) where reversed_at is not null;
create index reconciliation_items_matched on reconciliation_items (organisation_id, date) where match_id is not null;

-- The triggers of the functions above keep writers of these tables out until this commits.
do $$
declare
  tenant text;
begin
  for tenant in select id from organisations loop
    insert into day_sums (organisation_id, figure, currency, day, slot, amount_cents, records)
    select tenant, s.figure, s.currency, s.day, 0, s.amount_cents, s.records from received_sums_of(tenant, '-infinity', 'infinity') s
     where s.amount_cents <> 0 or s.records <> 0;
  end loop;
end $$;

-- What needs a person, and what is expected, are few among many (functions/tasks_of.sql, expected_money_of.sql).
create index emails_failed on emails (organisation_id, id) where status = 'failed';
create index mandates_pending on mandates (organisation_id, id) include (amount_cents, created_at) where status = 'pending';
create index customer_subscriptions_due on customer_subscriptions (organisation_id, next_due) where mrr_cents > 0;
