-- Makes of a database of version 0.1.0 what the baseline makes: what came after that version, and the names that the code uses. Applied once, in the
-- transaction that takes the migrations of that version off the list; the functions follow with those of every database.

-- Where a subscription's credit came from: credit that a cancelled invoice had used comes back; credit for unused days names the bill that had
-- charged them, and is withdrawn when that bill is cancelled.
alter table customer_subscription_credits add column bill_id text collate "C";
alter table customer_subscription_credits add foreign key (organisation_id, bill_id) references customer_subscription_bills (organisation_id, id);
alter table customer_subscription_credits drop constraint customer_subscription_credits_cause_check;
alter table customer_subscription_credits add constraint customer_subscription_credits_cause_check
  check (cause in ('given', 'billed', 'restated', 'returned', 'withdrawn'));
alter table customer_subscription_credits add check (bill_id is not null or cause not in ('returned', 'withdrawn'));
create index customer_subscription_credits_bill on customer_subscription_credits (organisation_id, bill_id) where bill_id is not null;

-- A period whose bill was cancelled may be begun again on its first day, by a bill of another cycle.
drop index customer_subscription_bills_period;
create unique index customer_subscription_bills_period on customer_subscription_bills (organisation_id, customer_subscription_id, period_start, kind, cycle)
  where kind <> 'proration';

-- What invoices had used that are cancelled comes back.
alter table customer_subscriptions no force row level security;
alter table customer_subscription_bills no force row level security;
alter table customer_subscription_credits no force row level security;
alter table invoices no force row level security;
do $$
declare
  tenant text;
  used record;
begin
  for tenant in select distinct organisation_id from customer_subscriptions loop
    for used in
      select b.customer_subscription_id as id, b.id as bill_id, x ->> 'id' as credit_id, min(x ->> 'description') as description,
             sum((x ->> 'amount')::bigint) as amount, max(i.cancelled_at) as cancelled_at
        from customer_subscription_bills b
        join invoices i on i.organisation_id = tenant and i.id = b.invoice_id and i.status = 'cancelled'
       cross join lateral jsonb_array_elements(b.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x
       where b.organisation_id = tenant and x ->> 'by' = 'credit' group by 1, 2, 3
    loop
      insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause, bill_id, amount_cents, created_at)
      values (tenant, 'cse_' || substr(md5(used.bill_id || used.credit_id), 1, 26), used.id, used.credit_id, 'returned', used.bill_id, used.amount,
        used.cancelled_at);
      update customer_subscriptions s set state = jsonb_set(s.state, '{credits}', (
               select jsonb_agg(k.credit order by k.place) from (
                 select case when c.credit ->> 'id' = used.credit_id
                             then (c.credit - 'own') || jsonb_build_object('amount', (c.credit ->> 'amount')::bigint + used.amount) else c.credit end as credit,
                        c.place
                   from jsonb_array_elements(s.state -> 'credits') with ordinality c(credit, place)
                 union all
                 select jsonb_build_object('id', used.credit_id, 'description', used.description, 'amount', used.amount), 0
                  where not exists (select from jsonb_array_elements(s.state -> 'credits') c where c ->> 'id' = used.credit_id)) k))
       where s.organisation_id = tenant and s.id = used.id;
    end loop;
  end loop;
end $$;
alter table customer_subscriptions force row level security;
alter table customer_subscription_bills force row level security;
alter table customer_subscription_credits force row level security;
alter table invoices force row level security;

-- An invoice was paid when its latest payment was made, not when the one was that was recorded last.
alter table invoices no force row level security;
alter table invoice_payments no force row level security;
do $$
declare
  tenant text;
begin
  for tenant in select distinct organisation_id from invoices where status = 'paid' loop
    update invoices i set paid_at = y.paid_at
      from (select invoice_id, max(paid_at) as paid_at from invoice_payments where organisation_id = tenant and amount_cents > 0 group by invoice_id) y
     where i.organisation_id = tenant and i.id = y.invoice_id and i.status = 'paid' and i.paid_at <> y.paid_at;
  end loop;
end $$;
alter table invoices force row level security;
alter table invoice_payments force row level security;

-- A coupon for the first charge is known as such, beside one for a single cycle: it is spent with the first bill of a period, whatever its plan. Those that
-- waited for a plan since a first bill without them are spent.
alter table organisations no force row level security;
alter table customer_subscriptions no force row level security;
alter table coupon_redemptions no force row level security;
do $$
declare tenant text;
begin
  for tenant in select id from organisations order by id loop
    update customer_subscriptions s
       set state = jsonb_set(s.state, '{coupon}', (s.state -> 'coupon') || jsonb_build_object('first', true)
             || case when (s.state ->> 'cyclesBilled')::integer > 0 then jsonb_build_object('used', 1) else '{}' end)
      from coupon_redemptions r
     where s.organisation_id = tenant and r.organisation_id = tenant and r.coupon_id = s.state -> 'coupon' ->> 'id' and r.subject = s.id
       and r.duration = 'first';
  end loop;
end $$;
alter table organisations force row level security;
alter table customer_subscriptions force row level security;
alter table coupon_redemptions force row level security;

-- VAT rates by day (interface 14.2, `vatRates`): the standard rate of each organisation from each day on, and whether it is registered then. It
-- follows from its settings, and is written with them, so that prices are read with their rates in one statement.
alter table organisation_settings add column vat_timeline jsonb not null default '[{"from": null, "rate": "15", "registered": true}]';
-- When rates or registration were changed last: bills from before were made by other rates, which `verify` does not know.
alter table organisation_settings add column vat_changed_at timestamptz;
-- Whoever migrates reads and fills the rows of every organisation, also as an owner that row level security holds.
alter table organisation_settings no force row level security;
alter table products no force row level security;
alter table plan_versions no force row level security;
update organisation_settings
   set vat_timeline = jsonb_build_array(jsonb_build_object('from', null, 'rate', trim_scale((settings ->> 'vatRate')::numeric)::text, 'registered', true))
 where settings ? 'vatRate';

-- Whether a price follows the standard rate; else `tax_rate` is its own. Until now a price that gave no rate took the standard rate when it was
-- made, and did not say so: those at the present standard rate follow it from now on.
alter table products add column standard_rate boolean not null default false;
alter table plan_versions add column standard_rate boolean not null default false;
do $$
declare tenant text; standard numeric;
begin
  for tenant, standard in select organisation_id, (vat_timeline -> 0 ->> 'rate')::numeric from organisation_settings order by organisation_id loop
    update products set standard_rate = true where organisation_id = tenant and not tax_exempt and tax_rate > 0 and tax_rate = standard;
    update plan_versions set standard_rate = true where organisation_id = tenant and not tax_exempt and tax_rate > 0 and tax_rate = standard;
  end loop;
end $$;
alter table organisation_settings force row level security;
alter table products force row level security;
alter table plan_versions force row level security;
alter table products add constraint products_standard_rate check (not (standard_rate and tax_exempt));
alter table plan_versions add constraint plan_versions_standard_rate check (not (standard_rate and tax_exempt));

-- What became of each row of an imported file, what staff should look at, and statements that were withdrawn.
alter table reconciliation_runs add column row_counts jsonb;
alter table reconciliation_runs add column warnings jsonb not null default '[]';
alter table reconciliation_runs add column withdrawn_at timestamptz;
alter table reconciliation_runs add column withdrawn_by text;
alter table reconciliation_runs add constraint reconciliation_runs_withdrawn_check check ((withdrawn_at is null) = (withdrawn_by is null));

-- A hash of the account and the bank's own id of the line; null where the file has none that can be trusted.
alter table reconciliation_items add column bank_key bytea;
create index reconciliation_items_bank on reconciliation_items (organisation_id, bank_key) where bank_key is not null;

-- Refunds that staff made in the gateway's own dashboard: booked when the gateway tells of them, or when staff record them.
alter table refunds add column made_elsewhere boolean not null default false;
alter table refunds add constraint refunds_made_elsewhere_check check (not made_elsewhere or method = 'gateway');

-- Reports of refunds that could not be booked yet, by the payment that they name.
create index gateway_notifications_refunds on gateway_notifications (organisation_id, gateway_account_id, reference)
  where fact ->> 'about' = 'refund' and outcome in ('unknown_reference', 'mismatch');
create index gateway_notifications_refund_payments on gateway_notifications (organisation_id, gateway_account_id, (fact ->> 'paymentRef'))
  where fact ->> 'about' = 'refund' and outcome in ('unknown_reference', 'mismatch');

-- Flags of gateway subscriptions for staff: one that was cancelled, paused, resumed or changed in the gateway's own dashboard.
alter table gateway_subscriptions add column flags text[] not null default '{}';
select keep_revisions('gateway_subscriptions', '{handle_sealed,card_token_sealed,updated_at}');

-- A mandate whose account holder says that there is no authority to debit, and when a new agreement was signed after that.
alter table mandates add column authority_lost_at timestamptz;
alter table mandates add column authority_renewed_at timestamptz;
alter table mandates add constraint mandates_authority_lost_check check (authority_lost_at is null or status in ('paused', 'cancelled'));
select keep_revisions('mandates', '{account_number_sealed,id_number_sealed,next_debit_date,last_debit_date,last_action_date,last_collected_at,updated_at}');

-- Who issued an address decides about saved cards (interface 4.11): an API key or a member of staff. Of a link to the portal, null says that it was
-- mailed to the customer alone.
alter table payment_links rename column created_by_key to issued_by;
alter table portal_links rename column given_to_key to issued_by;
alter table portal_sessions rename column given_to_key to issued_by;

-- A migration makes a customer subscription, which the service charges (interface 4.7). One that was begun before keeps the subscription that its
-- gateway runs, whose row has the terms.
alter table subscription_migrations add column customer_subscription_id text collate "C";
alter table subscription_migrations add column amount_cents bigint;
alter table subscription_migrations add column frequency text collate "C";
alter table subscription_migrations alter column gateway_subscription_id drop not null;
alter table subscription_migrations add constraint subscription_migrations_subscription_check
  check (num_nonnulls(customer_subscription_id, gateway_subscription_id) = 1);
alter table subscription_migrations add constraint subscription_migrations_terms_check
  check (customer_subscription_id is null or (amount_cents is not null and frequency is not null));
alter table subscription_migrations add constraint subscription_migrations_amount_cents_check check (amount_cents > 0);
alter table subscription_migrations add constraint subscription_migrations_frequency_check
  check (frequency in ('monthly', 'quarterly', 'biannually', 'annually'));
alter table subscription_migrations add foreign key (organisation_id, customer_subscription_id)
  references customer_subscriptions (organisation_id, id);
create unique index subscription_migrations_customer_subscription on subscription_migrations (organisation_id, customer_subscription_id);
select keep_revisions('subscription_migrations', '{}');

-- What a credit for unused days gave back of the bill that had charged them, with VAT: no more of this bill is refunded or credited.
alter table customer_subscription_credits add column gross_cents bigint;

-- What of a credit note was settled by a refund of a payment of the invoice that it corrects: the same money is not given back twice.
create table credit_note_refunds (
  organisation_id text collate "C" not null,
  credit_note_id text collate "C" not null,
  refund_id text collate "C" not null,
  amount_cents bigint not null check (amount_cents > 0),
  settled_at timestamptz not null,
  undone_at timestamptz,
  primary key (organisation_id, credit_note_id, refund_id),
  foreign key (organisation_id, credit_note_id) references credit_notes (organisation_id, id),
  foreign key (organisation_id, refund_id) references refunds (organisation_id, id)
);
create index credit_note_refunds_refund on credit_note_refunds (organisation_id, refund_id);
alter table credit_note_refunds enable row level security;
alter table credit_note_refunds force row level security;
create policy tenant on credit_note_refunds using (organisation_id = app_organisation()) with check (organisation_id = app_organisation());
grant select, insert, update, delete on credit_note_refunds to tefo_app;

alter table journal_entries drop constraint journal_entries_kind_check;
alter table journal_entries add constraint journal_entries_kind_check check (kind = any ('{payment,refund,refund_reversal,invoice,invoice_cancelled,offline_payment,credit_note,credit_application,reversal,credit_refund,offline_payment_reversal,bank_match,bank_match_reversal,credit_note_refund,credit_note_refund_reversal}'::text[]));

-- The payments that staff have to look at.
create index transactions_flagged on transactions (organisation_id, id) where flags <> '{}';

-- What the code calls otherwise, and what only versions before 1.0 called.
alter table due_work rename column ripe to is_due;
alter table due_work rename column held to waits_for_clock;
alter table due_work rename column meanwhile to asked_during_move;
alter index due_work_ripe rename to due_work_due;
alter index due_work_held rename to due_work_waiting;
alter index due_work_meanwhile rename to due_work_asked_during_move;
drop trigger if exists journal_lines_dated on journal_lines;
drop function date_journal_line();
drop function claim_idempotency_key(text, text, text);
drop function claim_idempotency_key(text, text, text, text, bytea, timestamptz);
drop function enqueue_due_works(text, text[], text[], timestamptz[], text[]);
drop function renew_due_work(text, text[], text[], text[], integer);
