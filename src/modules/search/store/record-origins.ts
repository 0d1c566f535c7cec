// Writes nothing. Reads: card_charges, card_setup_payments, checkout_payments, checkout_subscriptions, credit_notes, customer_subscription_bills, customer_subscriptions, debits, eft_orders, gateway_subscriptions, invoices, payment_links, transactions.

import type { Origin, Origins } from "../../../platform/records.ts";

const ofPayment: Origins = (tx, name) => tx.sql<Origin>`
  select t.id, t.created_at as "madeAt",
         coalesce(t.eft_order_id, o.checkout_session_id, d.debit_batch_id, c.due_invoice_id, case when c.id is null then t.payment_link_id end,
           s.card_setup_id, t.subscription_id) as "from",
         case when d.transaction_id is not null or c.id is not null then 'system' when t.renewal then 'gateway' else 'payer' end as by
    from transactions t
    left join checkout_payments o on o.organisation_id = ${tx.organisation} and o.transaction_id = t.id
    left join debits d on d.organisation_id = ${tx.organisation} and d.transaction_id = t.id
    left join card_charges c on c.organisation_id = ${tx.organisation} and c.transaction_id = t.id
    left join card_setup_payments s on s.organisation_id = ${tx.organisation} and s.transaction_id = t.id
   where t.organisation_id = ${tx.organisation} and (t.id = ${name} or t.reference = ${name})`;

/** The statements that read the origins of records, by the prefix of ids; a payment is found by its reference too. */
export const ORIGINS = {
  txn: ofPayment,
  inv: (tx, id) => tx.sql<Origin>`
    select i.id, i.created_at as "madeAt", coalesce(i.quote_id, b.customer_subscription_id, r.subscription_id) as "from", 'system' as by
      from invoices i
      left join customer_subscription_bills b on b.organisation_id = ${tx.organisation} and b.invoice_id = i.id
      left join lateral (select t.subscription_id from transactions t
        where t.organisation_id = ${tx.organisation} and t.invoice_id = i.id and t.renewal order by t.id limit 1) r on true
     where i.organisation_id = ${tx.organisation} and i.id = ${id}`,
  cn: (tx, id) => tx.sql<Origin>`
    select id, created_at as "madeAt", coalesce(transaction_reference, invoice_id) as "from", 'system' as by
      from credit_notes where organisation_id = ${tx.organisation} and id = ${id}`,
  plink: (tx, id) => tx.sql<Origin>`
    select id, created_at as "madeAt", coalesce(gateway_subscription_id, invoice_id) as "from", 'system' as by
      from payment_links where organisation_id = ${tx.organisation} and id = ${id}`,
  eft: (tx, id) => tx.sql<Origin>`
    select id, created_at as "madeAt", payment_link_id as "from", 'payer' as by
      from eft_orders where organisation_id = ${tx.organisation} and id = ${id}`,
  csub: (tx, id) => tx.sql<Origin>`
    select s.id, s.created_at as "madeAt", c.checkout_session_id as "from", 'payer' as by
      from customer_subscriptions s
      join checkout_subscriptions c on c.organisation_id = ${tx.organisation} and c.customer_subscription_id = s.id
     where s.organisation_id = ${tx.organisation} and s.id = ${id}`,
  gsub: (tx, id) => tx.sql<Origin>`
    select id, created_at as "madeAt", payment_link_id as "from", 'payer' as by
      from gateway_subscriptions where organisation_id = ${tx.organisation} and id = ${id}`,
} as const satisfies Readonly<Record<string, Origins>>;
