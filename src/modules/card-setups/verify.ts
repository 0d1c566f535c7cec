// Writes nothing. Reads: card_setups, card_setup_payments, cards, transactions, credit_notes, reversals, invoices, due_work.

import { revised } from "../../domain/revisions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { CARD_SETUP_EXPIRE } from "./declarations.ts";
import { CARD_SETUP_AMOUNT, CARD_SETUP_CURRENCY } from "./types.ts";

/** Set-up sessions (interface 3.7): a completed one has its customer's card and a payment that saved it; an open one has due work. */
const setups = examination(
  "card_setups",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, customer_id, status, card_id from card_setups
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join cards c on c.organisation_id = ${tx.organisation} and c.id = p.card_id
       cross join lateral (values
        ('setup_card', case p.status when 'completed' then p.customer_id end, c.customer_id, true),
        ('setup_paid', 'true', exists (select from card_setup_payments s join transactions t on t.organisation_id = ${tx.organisation}
           and t.id = s.transaction_id where s.organisation_id = ${tx.organisation} and s.card_setup_id = p.id
           and t.paid_at is not null and t.gateway_account_id = c.gateway_account_id)::text, p.status = 'completed'),
        ('setup_expiry_awaited', (p.status = 'pending')::text, exists (select from due_work w
           where w.organisation_id = ${tx.organisation} and w.kind = ${CARD_SETUP_EXPIRE.kind} and w.subject = p.id)::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * Payments of set-up sessions (interface 4.11): each has the session's customer and amount; it is credited when it is
 * paid, and otherwise not. For a payment that a bank reversed there is an invoice to the customer.
 */
const setupPayments = examination(
  "card_setup_payments",
  (tx, { after, limit }) => part`
    with part as materialized (
      select transaction_id as id, card_setup_id from card_setup_payments
       where organisation_id = ${tx.organisation} and transaction_id > ${after} order by transaction_id limit ${limit}),
    taken_back as (
      select r.transaction_id, sum(r.amount_cents) as taken, sum(i.total_cents) as asked,
             string_agg(distinct i.customer_id, ',') as customers,
             string_agg(distinct i.currency, ',') as currencies
        from reversals r left join invoices i on i.organisation_id = ${tx.organisation} and i.id = r.debit_invoice_id
       where r.organisation_id = ${tx.organisation} and r.transaction_id in (select id from part) and r.reversed_at is not null
       group by r.transaction_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join card_setups s on s.organisation_id = ${tx.organisation} and s.id = p.card_setup_id
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.id
        left join credit_notes n on n.organisation_id = ${tx.organisation} and n.transaction_reference = t.reference
        left join taken_back b on b.transaction_id = p.id
       cross join lateral (values
        ('setup_payment', concat_ws(' ', 'card_setup', ${CARD_SETUP_AMOUNT}::bigint, ${CARD_SETUP_CURRENCY}::text, s.customer_id),
           concat_ws(' ', t.type, t.amount_cents, t.currency, t.customer_id), true),
        ('setup_credited', case when t.paid_at is not null then t.amount_cents || ' ' || s.customer_id end,
           n.amount_cents || ' ' || n.customer_id, true),
        ('setup_taken_back', concat_ws(' ', b.taken, s.customer_id, t.currency),
           concat_ws(' ', b.asked, b.customers, b.currencies), b.taken is not null)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each set-up session equals its last revision by the service. */
const revisedSetups = revised(
  "card_setups",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from card_setups t where t.organisation_id = ${tx.organisation}
        and t.id > ${after} order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const cardSetupExaminations: readonly Examination[] = [setups, setupPayments, revisedSetups];
