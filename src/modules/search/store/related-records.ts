// Writes nothing. Reads: card_charges, card_setup_payments, card_setups, checkout_payments, checkout_sessions, checkout_subscriptions, collection_attempts, coupon_redemptions, credit_note_applications, credit_notes, customer_subscription_bills, customer_subscriptions, debits, eft_orders, emails, gateway_subscriptions, invoice_payments, invoices, mandates, payment_links, quotes, reconciliation_allocations, reconciliation_items, subscription_migrations, subscription_retries, transactions.

import type { TransactionId } from "../../../kernel/ids.ts";
import { part, type Tx } from "../../../platform/database.ts";
import type { Related, RelatedRow } from "../../../platform/records.ts";

/** The most related records of one relation that are answered, the newest first. */
const SHOWN = 10;

/** Lines of bank statements that are matched with the record whose id `subject` gives. */
const bankLines = (tx: Tx, subject: string) => part`
  select 'reconciliation_item', a.item_id from reconciliation_allocations a
   where a.organisation_id = ${tx.organisation} and a.subject = ${subject} and a.undone_at is null`;

/** The ids of a payment, found by its id or reference; null when it is absent. */
export async function paymentIds(
  tx: Tx,
  name: string,
): Promise<{ readonly id: TransactionId; readonly reference: string } | null> {
  const [row] = await tx.sql<{ id: TransactionId; reference: string }>`
    select id, reference from transactions where organisation_id = ${tx.organisation} and (id = ${name} or reference = ${name})`;
  return row ?? null;
}

const ofPayment: Related = async (tx, name) => {
  const ids = await paymentIds(tx, name);
  if (!ids) return [];
  const { id, reference } = ids;
  return tx.sql<RelatedRow>`
    select r.* from transactions t
     cross join lateral (values ('customer', t.customer_id), ('invoice', t.invoice_id), ('payment_link', t.payment_link_id),
       ('eft_order', t.eft_order_id), ('transaction', t.parent_reference), ('gateway', t.gateway_account_id),
       (case when t.subscription_id like 'csub\\_%' then 'customer_subscription' else 'subscription' end, t.subscription_id)) as r(relation, id)
     where t.organisation_id = ${tx.organisation} and t.id = ${id}
    union all
    select 'invoice', p.invoice_id from invoice_payments p where p.organisation_id = ${tx.organisation} and p.subject = ${id}
    union all
    select 'credit_note', n.id from credit_notes n where n.organisation_id = ${tx.organisation} and n.transaction_reference = ${reference}
    union all
    select r.* from debits d cross join lateral (values ('mandate', d.mandate_id), ('debit_batch', d.debit_batch_id)) as r(relation, id)
     where d.organisation_id = ${tx.organisation} and d.transaction_id = ${id}
    union all
    select 'card', c.card_id from card_charges c where c.organisation_id = ${tx.organisation} and c.transaction_id = ${id}
    union all
    select 'card', s.card_id from card_setup_payments p
      join card_setups s on s.organisation_id = ${tx.organisation} and s.id = p.card_setup_id
     where p.organisation_id = ${tx.organisation} and p.transaction_id = ${id}
    union all
    select 'coupon', p.coupon_id from checkout_payments p where p.organisation_id = ${tx.organisation} and p.transaction_id = ${id}
    union all
    select 'customer_subscription', a.customer_subscription_id from collection_attempts a
     where a.organisation_id = ${tx.organisation} and a.transaction_id = ${id}
    union all ${bankLines(tx, id)}`;
};

const ofInvoice: Related = (tx, id) => tx.sql<RelatedRow>`
  select r.* from invoices i cross join lateral (values ('customer', i.customer_id), ('quote', i.quote_id)) as r(relation, id)
   where i.organisation_id = ${tx.organisation} and i.id = ${id}
  union all
  select r.* from customer_subscription_bills b
    left join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = b.customer_subscription_id
    left join mandates m on m.organisation_id = ${tx.organisation} and m.subscription_id = s.id
     and s.collection_method = 'debit_order' and m.status <> 'cancelled'
   cross join lateral (values ('customer_subscription', b.customer_subscription_id), ('mandate', m.id)) as r(relation, id)
   where b.organisation_id = ${tx.organisation} and b.invoice_id = ${id}
  union all
  select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.invoice_id = ${id}
  union all
  select 'credit_note', n.id from credit_notes n where n.organisation_id = ${tx.organisation} and n.invoice_id = ${id}
  union all
  select 'credit_note', a.credit_note_id from credit_note_applications a
   where a.organisation_id = ${tx.organisation} and a.invoice_id = ${id}
  union all
  (select 'payment_link', l.id from payment_links l where l.organisation_id = ${tx.organisation} and l.invoice_id = ${id}
    order by l.id desc limit ${SHOWN})
  union all
  (select 'transaction', t.reference from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = ${id}
    order by t.id desc limit ${SHOWN})
  union all
  select 'reconciliation_item', a.item_id from reconciliation_allocations a
   where a.organisation_id = ${tx.organisation} and a.invoice_id = ${id} and a.undone_at is null`;

const ofCustomer: Related = (tx, id) => tx.sql<RelatedRow>`
  (select 'payment_link' as relation, l.id from payment_links l where l.organisation_id = ${tx.organisation} and l.customer_id = ${id}
    order by l.id desc limit ${SHOWN})
  union all
  (select 'checkout_session', s.id from checkout_sessions s where s.organisation_id = ${tx.organisation} and s.customer_id = ${id}
    order by s.id desc limit ${SHOWN})
  union all
  (select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.customer_id = ${id}
    order by g.id desc limit ${SHOWN})`;

const ofPaymentLink: Related = (tx, id) => tx.sql<RelatedRow>`
  select r.* from payment_links l
   cross join lateral (values ('customer', l.customer_id), ('product', l.product_id), ('invoice', l.invoice_id),
     ('subscription', l.gateway_subscription_id)) as r(relation, id)
   where l.organisation_id = ${tx.organisation} and l.id = ${id}
  union all
  (select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.payment_link_id = ${id}
    order by g.id desc limit ${SHOWN})
  union all
  (select 'eft_order', o.id from eft_orders o where o.organisation_id = ${tx.organisation} and o.payment_link_id = ${id}
    order by o.id desc limit ${SHOWN})`;

const ofBankTransfer: Related = async (tx, id) => tx.sql<RelatedRow>`
  select r.* from eft_orders o
    left join transactions t on t.organisation_id = ${tx.organisation} and t.reference = o.reference
    left join payment_links l on l.organisation_id = ${tx.organisation} and l.id = o.payment_link_id
    left join reconciliation_allocations a on a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null
   cross join lateral (values ('customer', o.customer_id), ('payment_link', o.payment_link_id), ('transaction', t.reference),
     ('invoice', coalesce(t.invoice_id, l.invoice_id)), ('gateway', o.gateway_account_id), ('reconciliation_item', a.item_id)) as r(relation, id)
   where o.organisation_id = ${tx.organisation} and o.id = ${id}`;

const ofCheckout: Related = (tx, id) => tx.sql<RelatedRow>`
  select r.* from checkout_sessions s
    left join transactions t on t.organisation_id = ${tx.organisation} and t.id = s.transaction_id
    left join checkout_payments p on p.organisation_id = ${tx.organisation} and p.transaction_id = s.transaction_id
   cross join lateral (values ('customer', s.customer_id), ('transaction', t.reference), ('invoice', t.invoice_id), ('coupon', p.coupon_id),
     ('product', s.product_id), ('package', s.package_id),
     (case when s.subscription_id like 'csub\\_%' then 'customer_subscription' else 'subscription' end, s.subscription_id)) as r(relation, id)
   where s.organisation_id = ${tx.organisation} and s.id = ${id}
  union all
  select 'customer_subscription', c.customer_subscription_id from checkout_subscriptions c
   where c.organisation_id = ${tx.organisation} and c.checkout_session_id = ${id}`;

const ofGatewaySubscription: Related = (tx, id) => tx.sql<RelatedRow>`
  select r.* from gateway_subscriptions g
   cross join lateral (values ('customer', g.customer_id), ('invoice', g.invoice_id), ('payment_link', g.payment_link_id),
     ('gateway', g.gateway_account_id), ('subscription', g.replaced_by_id)) as r(relation, id)
   where g.organisation_id = ${tx.organisation} and g.id = ${id}
  union all
  select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.replaced_by_id = ${id}
  union all
  select 'customer', m.customer_id from subscription_migrations m
   where m.organisation_id = ${tx.organisation} and m.gateway_subscription_id = ${id}
  union all
  (select 'payment_link', r.payment_link_id from subscription_retries r
    where r.organisation_id = ${tx.organisation} and r.gateway_subscription_id = ${id} order by r.id desc limit ${SHOWN})`;

const ofBankLine: Related = (tx, id) => tx.sql<RelatedRow>`
  select distinct r.* from reconciliation_allocations a
    left join transactions t on t.organisation_id = ${tx.organisation} and t.id = a.subject
    left join invoices i on i.organisation_id = ${tx.organisation} and i.id = a.invoice_id
   cross join lateral (values ('customer', coalesce(i.customer_id, t.customer_id)), ('transaction', t.reference), ('invoice', i.id)) as r(relation, id)
   where a.organisation_id = ${tx.organisation} and a.item_id = ${id} and a.undone_at is null
  union all
  select r.* from reconciliation_items l
    join transactions t on t.organisation_id = ${tx.organisation} and t.reference = l.transaction_reference
   cross join lateral (values ('customer', t.customer_id), ('transaction', t.reference)) as r(relation, id)
   where l.organisation_id = ${tx.organisation} and l.id = ${id}`;

/** The statements that read the related records, by the prefix of ids; a payment is found by its reference too. */
export const RELATED = {
  txn: ofPayment,
  inv: ofInvoice,
  cus: ofCustomer,
  plink: ofPaymentLink,
  eft: ofBankTransfer,
  chk: ofCheckout,
  gsub: ofGatewaySubscription,
  rci: ofBankLine,
  quo: (tx, id) => tx.sql<RelatedRow>`
    select r.* from quotes q cross join lateral (values ('customer', q.customer_id), ('invoice', q.invoice_id)) as r(relation, id)
     where q.organisation_id = ${tx.organisation} and q.id = ${id}`,
  cn: (tx, id) => tx.sql<RelatedRow>`
    select r.* from credit_notes n
     cross join lateral (values ('customer', n.customer_id), ('invoice', n.invoice_id), ('transaction', n.transaction_reference)) as r(relation, id)
     where n.organisation_id = ${tx.organisation} and n.id = ${id}`,
  man: (tx, id) => tx.sql<RelatedRow>`
    select r.* from mandates m
     cross join lateral (values ('customer', m.customer_id), ('customer_subscription', m.subscription_id), ('product', m.product_id),
       ('gateway', m.gateway_account_id)) as r(relation, id)
     where m.organisation_id = ${tx.organisation} and m.id = ${id}`,
  csub: (tx, id) => tx.sql<RelatedRow>`
    select r.* from customer_subscriptions s
      left join checkout_subscriptions c on c.organisation_id = ${tx.organisation} and c.customer_subscription_id = s.id
     cross join lateral (values ('customer', s.customer_id), ('card', s.card_id), ('checkout_session', c.checkout_session_id)) as r(relation, id)
     where s.organisation_id = ${tx.organisation} and s.id = ${id}
    union all
    (select 'mandate', m.id from mandates m where m.organisation_id = ${tx.organisation} and m.subscription_id = ${id}
      order by m.id desc limit ${SHOWN})`,
  cpn: (tx, id) => tx.sql<RelatedRow>`
    select distinct 'customer' as relation, r.customer_id as id from coupon_redemptions r
     where r.organisation_id = ${tx.organisation} and r.coupon_id = ${id} and r.released_at is null order by 2 desc limit ${SHOWN}`,
  mail: (tx, id) => tx.sql<RelatedRow>`
    select 'about' as relation, e.about as id from emails e where e.organisation_id = ${tx.organisation} and e.id = ${id}`,
} as const satisfies Readonly<Record<string, Related>>;
