// Writes nothing. Reads: checkout_sessions, checkout_payments, transactions, due_work.
import { part } from "../../platform/database.ts";
import { type Examination, examination } from "../../platform/examined.ts";
import { CHECKOUT_EXPIRE } from "./declarations.ts";

/**
 * Checkout sessions (interface 3.9): one that a payment was made for is completed and shows that payment, which is its customer's; an open one
 * has due work.
 */
const sessions = examination(
  "checkout_sessions",
  (tx, { after, limit }) => part`
    with part as materialized (
      select id, status, customer_id, transaction_id from checkout_sessions
       where organisation_id = ${tx.organisation} and id > ${after} order by id limit ${limit}),
    faults as (
      select p.id, r.rule, r.expected, r.found from part p
        left join checkout_payments s on s.organisation_id = ${tx.organisation} and s.transaction_id = p.transaction_id
        left join transactions t on t.organisation_id = ${tx.organisation} and t.id = p.transaction_id
       cross join lateral (values
        ('checkout_payment', p.id, s.checkout_session_id, p.transaction_id is not null),
        ('checkout_customer', p.customer_id, t.customer_id, p.transaction_id is not null),
        ('checkout_paid', (t.paid_at is not null)::text, 'true', p.status = 'completed' and p.transaction_id is not null),
        ('checkout_completed', 'completed', p.status, exists (select from checkout_payments o
           join transactions x on x.organisation_id = ${tx.organisation} and x.id = o.transaction_id
          where o.organisation_id = ${tx.organisation} and o.checkout_session_id = p.id and x.paid_at is not null)),
        ('checkout_expiry_awaited', 'true', exists (select from due_work w
           where w.organisation_id = ${tx.organisation} and w.kind = ${CHECKOUT_EXPIRE.kind} and w.subject = p.id)::text,
           p.status in ('pending', 'failed'))
      ) r(rule, expected, found, applies)
       where r.applies and r.expected is distinct from r.found)`,
);

/** What `verify` recomputes. */
export const checkoutSessionExaminations: readonly Examination[] = [sessions];
