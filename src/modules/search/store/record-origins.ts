// Writes nothing. Reads: card_charges, card_setup_payments, checkout_payments, checkout_subscriptions, credit_notes, customer_subscription_bills, customer_subscriptions, debits, eft_orders, gateway_subscriptions, invoices, payment_links, transactions.

import { kindOf } from "../../../kernel/ids.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";

/** The origin of a record that was made from another record, or by nobody of the organisation. */
export interface Origin {
  /** The record's position in the order of ids. */
  readonly id: string;
  readonly madeAt: Instant;
  /** Id, or reference, of the record from which it was made; null when there is none. */
  readonly from: string | null;
  /** Who made it when no member of staff or API key did. */
  readonly by: "payer" | "gateway" | "system";
}

type OriginRow = { id: string; madeAt: Instant; from: string | null; by: Origin["by"] };
type Find = (tx: Tx, id: string) => Promise<OriginRow[]>;

const ofPayment: Find = (tx, name) => tx.sql<OriginRow>`
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

/** By the prefix of ids. Records of other kinds are never made from another one. */
const ORIGINS: Readonly<Record<string, Find>> = {
  inv: (tx, id) => tx.sql<OriginRow>`
    select i.id, i.created_at as "madeAt", coalesce(i.quote_id, b.customer_subscription_id, r.subscription_id) as "from", 'system' as by
      from invoices i
      left join customer_subscription_bills b on b.organisation_id = ${tx.organisation} and b.invoice_id = i.id
      left join lateral (select t.subscription_id from transactions t
        where t.organisation_id = ${tx.organisation} and t.invoice_id = i.id and t.renewal order by t.id limit 1) r on true
     where i.organisation_id = ${tx.organisation} and i.id = ${id}`,
  cn: (tx, id) => tx.sql<OriginRow>`
    select id, created_at as "madeAt", coalesce(transaction_reference, invoice_id) as "from", 'system' as by
      from credit_notes where organisation_id = ${tx.organisation} and id = ${id}`,
  plink: (tx, id) => tx.sql<OriginRow>`
    select id, created_at as "madeAt", coalesce(gateway_subscription_id, invoice_id) as "from", 'system' as by
      from payment_links where organisation_id = ${tx.organisation} and id = ${id}`,
  eft: (tx, id) => tx.sql<OriginRow>`
    select id, created_at as "madeAt", payment_link_id as "from", 'payer' as by
      from eft_orders where organisation_id = ${tx.organisation} and id = ${id}`,
  csub: (tx, id) => tx.sql<OriginRow>`
    select s.id, s.created_at as "madeAt", c.checkout_session_id as "from", 'payer' as by
      from customer_subscriptions s
      join checkout_subscriptions c on c.organisation_id = ${tx.organisation} and c.customer_subscription_id = s.id
     where s.organisation_id = ${tx.organisation} and s.id = ${id}`,
  gsub: (tx, id) => tx.sql<OriginRow>`
    select id, created_at as "madeAt", payment_link_id as "from", 'payer' as by
      from gateway_subscriptions where organisation_id = ${tx.organisation} and id = ${id}`,
};

/** The origin of a record of one of these kinds; null for any other, and for one that is absent. */
export async function originOf(tx: Tx, subject: string): Promise<Origin | null> {
  const find = ORIGINS[kindOf(subject)] ?? ofPayment;
  return (await find(tx, subject))[0] ?? null;
}
