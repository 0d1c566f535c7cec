// Writes nothing. Reads: checkout_sessions, checkout_payments, checkout_subscriptions, customer_subscriptions,
// gateway_subscriptions, plans, coupon_redemptions, transactions, journal_entries, journal_lines, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { CHECKOUT_END_OTHERS, CHECKOUT_EXPIRE } from "./declarations.ts";

/**
 * Checkout sessions (interface 2.10, 3.9, 4.12): one with a complete payment is completed and shows that payment, which
 * is its customer's; an open one has due work. Of the customer subscriptions that a session has made it names one,
 * which is its customer's, and once it is completed no other one waits for payment (decisions.md#a-session-sells-once).
 */
const sessions = examination(
  "checkout_sessions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, package_id, plan_id, product_id, expires_at, created_at, customer_id, subscription_id,
             transaction_id from checkout_sessions
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join checkout_payments s on s.organisation_id = ${tx.organisation} and s.transaction_id = p.transaction_id
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
        left join checkout_subscriptions k on k.organisation_id = ${tx.organisation} and k.customer_subscription_id = p.subscription_id
        left join plans n on n.organisation_id = ${tx.organisation} and n.id = p.plan_id
        left join coupon_redemptions e on e.organisation_id = ${tx.organisation} and e.coupon_id = s.coupon_id
          and e.subject = s.coupon_subject
        left join gateway_subscriptions g on g.organisation_id = ${tx.organisation} and g.id = p.subscription_id
        left join customer_subscriptions c on c.organisation_id = ${tx.organisation} and c.id = p.subscription_id
       cross join lateral (values
        ('checkout_plan', p.package_id, n.package_id, p.plan_id is not null),
        ('checkout_expires', (p.created_at + interval '24 hours')::text, p.expires_at::text, true),
        ('checkout_coupon', p.customer_id || ' ' || t.currency,
           e.customer_id || ' ' || case when e.percent is null then e.currency else t.currency end,
           s.coupon_id is not null),
        ('checkout_discount', coalesce(e.amount_cents, 0)::text, s.discount_cents::text, p.product_id is not null
           and e.percent is null and t.id is not null),
        ('checkout_recurring', g.frequency, s.recurring_frequency, p.product_id is not null and p.subscription_id is not null),
        ('checkout_vat', coalesce(s.tax_cents, 0)::text, (select coalesce(-sum(l.amount_cents), 0)::text from journal_entries j
           join journal_lines l on l.organisation_id = ${tx.organisation} and l.entry_id = j.id and l.account = 'vat_output'
          where j.organisation_id = ${tx.organisation} and j.kind = 'payment' and j.subject = t.reference),
           p.product_id is not null and t.paid_at is not null),
        ('checkout_exempt', s.tax_exempt::text, t.tax_exempt::text, p.product_id is not null and t.paid_at is not null),
        ('checkout_payment', p.id, s.checkout_session_id, p.transaction_id is not null),
        ('checkout_customer', p.customer_id, t.customer_id, p.transaction_id is not null),
        ('checkout_paid', (t.paid_at is not null)::text, 'true', p.status = 'completed' and p.transaction_id is not null),
        ('checkout_completed', 'completed', p.status, exists (select from checkout_payments o
           join transactions x on x.organisation_id = ${tx.organisation} and x.id = o.transaction_id
          where o.organisation_id = ${tx.organisation} and o.checkout_session_id = p.id and x.paid_at is not null)),
        ('checkout_subscription', p.id || ' ' || p.customer_id, k.checkout_session_id || ' ' || c.customer_id,
           p.package_id is not null and p.subscription_id is not null),
        ('checkout_sold_once', 'false', exists (select from checkout_subscriptions o
           join customer_subscriptions w on w.organisation_id = ${tx.organisation} and w.id = o.customer_subscription_id
          where o.organisation_id = ${tx.organisation} and o.checkout_session_id = p.id and w.id is distinct from p.subscription_id
            and w.status = 'pending')::text, p.status = 'completed' and not exists (select from due_work w
           where w.organisation_id = ${tx.organisation} and w.kind = ${CHECKOUT_END_OTHERS.kind} and w.subject = p.id)),
        ('checkout_expiry_awaited', 'true', exists (select from due_work w
           where w.organisation_id = ${tx.organisation} and w.kind = ${CHECKOUT_EXPIRE.kind} and w.subject = p.id)::text,
           p.status in ('pending', 'failed'))
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const checkoutSessionExaminations: readonly Examination[] = [sessions];
