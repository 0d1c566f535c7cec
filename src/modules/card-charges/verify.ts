// Writes nothing. Reads: card_charges, transactions, cards, checkout_payments, collection_attempts, organisation_settings, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { CHARGE_DUE_INVOICES } from "./declarations.ts";

/**
 * Charges against their transactions and cards (interface 3.8), and external references against the charges that
 * reserve them (interface 4.11).
 */
const cardCharges = examination(
  "card_charges",
  (tx, { after, limit }) => part`
    with part as materialized (
      select * from card_charges where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
        left join cards c on c.organisation_id = ${tx.organisation} and c.id = p.card_id
       cross join lateral (values
        ('charge_reference_free', 'false', (p.holds_reference and (p.status = 'failed' or p.external_reference is null))::text),
        ('charge_status', case when t.status = 'pending' then 'pending' when t.paid_at is not null then 'complete' else 'failed' end,
           p.status),
        ('charge_type', 'card_debit', t.type),
        ('charge_customer', concat_ws(' ', t.customer_id, c.customer_id), concat_ws(' ', p.customer_id, p.customer_id)),
        ('charge_account', c.gateway_account_id, t.gateway_account_id),
        ('charge_due_invoice', case when p.external_reference is null and not p.is_collection and t.payment_link_id is null
             and not exists (select from checkout_payments o where o.organisation_id = ${tx.organisation}
                             and o.transaction_id = p.transaction_id)
           then t.invoice_id end, p.due_invoice_id),
        ('charge_collects', exists (select from collection_attempts a
           where a.organisation_id = ${tx.organisation} and a.transaction_id = p.transaction_id)::text, p.is_collection::text),
        ('charge_day', ((t.created_at at time zone 'UTC') + interval '2 hours')::date::text, p.charge_day::text),
        ('charge_by_request', (t.payment_link_id is null and t.invoice_id is null and not exists (
           select from checkout_payments o where o.organisation_id = ${tx.organisation} and o.transaction_id = p.transaction_id))::text,
           (p.external_reference is not null)::text),
        ('charge_reference', p.external_reference, case when p.external_reference is null then null else t.external_reference end),
        ('charge_reference_held', (p.external_reference is not null and p.status <> 'failed')::text, (exists (
           select from card_charges o where o.organisation_id = ${tx.organisation} and o.external_reference = p.external_reference
              and o.holds_reference))::text)
      ) r(rule, expected, found)
       where r.expected is distinct from r.found
         and (r.rule <> 'charge_reference_held' or p.status <> 'failed'))`,
);

/** Each transaction of type `card_debit` has its charge. */
const chargedTransactions = examination(
  "transactions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, type from transactions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, 'card_debit_charge' as rule, '1' as expected, '0' as found from part p
       where p.type = 'card_debit' and not exists (
         select from card_charges c where c.organisation_id = ${tx.organisation} and c.transaction_id = p.id))`,
);

/** While the setting is on that charges default cards for due invoices, its daily work is outstanding. */
const dueInvoices = examination(
  "organisation_settings",
  (tx, { after, limit }) => part`
    with part as materialized (
      select organisation_id as id, coalesce(settings ->> 'chargeDefaultCardWhenDue', 'false') as is_on from organisation_settings
       where organisation_id = ${tx.organisation} and organisation_id > ${after} limit ${limit}),
    faults as (
      select p.id, 'due_invoices_awaited' as rule, p.is_on as expected, w.outstanding as found from part p
       cross join lateral (select (exists (select from due_work d where d.organisation_id = ${tx.organisation}
         and d.kind = ${CHARGE_DUE_INVOICES.kind} and d.subject = p.id))::text as outstanding) w
       where p.is_on <> w.outstanding)`,
);

/** What `verify` recomputes. */
export const cardChargeExaminations: readonly Examination[] = [cardCharges, chargedTransactions, dueInvoices];
