// Writes nothing. Reads: gateway_subscriptions, subscription_retries, transactions, payment_links, due_work, gateway_notifications.

import { revised } from "../../domain/revisions.ts";
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { SUBSCRIPTION_EXPECT } from "./declarations.ts";

/**
 * Subscriptions of gateways against the payment that started each, their later charges and the link (interface 2.12,
 * 3.12). One that its gateway collects and that has a next date has the work that finds a missing renewal. No renewal
 * is given up while its money came in (decisions.md#renewals-at-another-amount-wait-for-staff).
 */
const gatewaySubscriptions = examination(
  "gateway_subscriptions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, currency, frequency, gateway_account_id, payment_link_id, customer_id, invoice_id,
             external_reference, first_reference, link_key, next_charge_on, paused, past_due, replaced_by_id
        from gateway_subscriptions where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    charges as (
      select t.subscription_id,
             count(*) filter (where t.currency <> p.currency
               or t.payment_link_id is null and t.gateway_account_id <> p.gateway_account_id) as foreign_charges,
             count(*) filter (where t.renewal and t.status = 'cancelled' and exists (select from gateway_notifications n
               where n.organisation_id = ${tx.organisation} and n.reference = t.reference and n.outcome = 'mismatch'
                 and n.fact ->> 'kind' = 'paid')) as given_up,
             count(*) filter (where t.reference <> p.first_reference and t.type <> 'card_setup'
                              and (not t.renewal or t.parent_reference is distinct from p.first_reference)) as astray
        from transactions t join part p on p.id = t.subscription_id
       where t.organisation_id = ${tx.organisation} group by t.subscription_id),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join transactions f on f.organisation_id = ${tx.organisation} and f.reference = p.first_reference
        left join charges c on c.subscription_id = p.id
        left join payment_links l on l.organisation_id = ${tx.organisation} and l.id = p.payment_link_id
       cross join lateral (values
        ('subscription_begun', (p.status <> 'pending')::text, (p.link_key is not null)::text, p.status <> 'cancelled'),
        ('subscription_first_payment', p.id, f.subscription_id, p.first_reference is not null),
        ('subscription_first_paid', 'true', (f.paid_at is not null)::text, p.first_reference is not null),
        ('subscription_link', p.payment_link_id, f.payment_link_id, p.payment_link_id is not null),
        ('subscription_terms_of_link', concat_ws(' ', l.recurring_frequency, l.invoice_id, l.external_reference),
           concat_ws(' ', p.frequency, p.invoice_id, p.external_reference), p.payment_link_id is not null),
        ('subscription_customer', f.customer_id, p.customer_id, p.first_reference is not null),
        ('subscription_replaced', 'cancelled', p.status, p.replaced_by_id is not null),
        ('subscription_charges', '0 0', coalesce(c.foreign_charges, 0) || ' ' || coalesce(c.astray, 0), true),
        ('subscription_money_in', '0', coalesce(c.given_up, 0)::text, true),
        ('subscription_status', case when p.paused then 'paused' when p.past_due then 'past_due' else 'active' end, p.status,
           p.status in ('active', 'past_due', 'paused')),
        ('subscription_renewal_awaited', (p.status in ('active', 'past_due') and p.next_charge_on is not null)::text,
           exists (select from due_work w where w.organisation_id = ${tx.organisation}
             and w.kind = ${SUBSCRIPTION_EXPECT.kind} and w.subject = p.id)::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/**
 * Retries against the payments that they started (interface 4.7, retry): each collects its own subscription, by the
 * stored card or by a link, and has ended with its payment.
 */
const retries = examination(
  "subscription_retries",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, gateway_subscription_id, missed_reference, payment_link_id, reference, collected_reference, ended_at
        from subscription_retries
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    facts as (
      select p.*, m.subscription_id || ' ' || m.renewal as missed,
             coalesce(c.subscription_id, l.gateway_subscription_id) as collects, c.status,
             (select array_agg(t.reference) from transactions t where t.organisation_id = ${tx.organisation} and t.paid_at is not null
                and (t.reference = p.reference or t.payment_link_id = p.payment_link_id)) as paid
        from part p
        left join transactions m on m.organisation_id = ${tx.organisation} and m.reference = p.missed_reference
        left join transactions c on c.organisation_id = ${tx.organisation} and c.reference = p.reference
        left join payment_links l on l.organisation_id = ${tx.organisation} and l.id = p.payment_link_id),
    faults as (
      select f.id, r.rule, r.expected, r.found from facts f cross join lateral (values
        ('retry_missed', f.gateway_subscription_id || ' true', f.missed, f.missed_reference is not null),
        ('retry_subscription', f.gateway_subscription_id, f.collects, true),
        ('retry_collected', case when f.paid is not null then 'paid' end,
           case when f.collected_reference = any (f.paid) then 'paid' else f.collected_reference end, true),
        ('retry_ended', (f.paid is not null or f.status is not distinct from 'failed')::text, (f.ended_at is not null)::text, true)
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** Each subscription equals its last revision by the service. */
const revisedSubscriptions = revised(
  "gateway_subscriptions",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from gateway_subscriptions t where t.organisation_id = ${tx.organisation}
        and t.id > ${after} order by t.id limit ${limit}`,
);

/** Each retry equals its last revision by the service. */
const revisedRetries = revised(
  "subscription_retries",
  (tx, { after, limit }) => part`
    select t.id, to_jsonb(t) as record from subscription_retries t where t.organisation_id = ${tx.organisation}
        and t.id > ${after} order by t.id limit ${limit}`,
);

/** What `verify` recomputes. */
export const gatewaySubscriptionExaminations: readonly Examination[] = [
  gatewaySubscriptions,
  retries,
  revisedSubscriptions,
  revisedRetries,
];
