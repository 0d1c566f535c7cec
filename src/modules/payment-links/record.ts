// Writes nothing. Reads: eft_orders, gateway_subscriptions, payment_links.

import { erased, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { type Hit, type NameRow, type Origin, RELATED_MAX, type RelatedRow, record } from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { part } from "../../platform/database.ts";

/** How payment links are named, found, related, handed over and erased. */
export const PAYMENT_LINK_RECORD = record({
  kinds: [
    {
      prefix: "plink",
      noun: "payment_link",
      permission: "payment_links:read",
      path: "/payment-links",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, title as name, id as target from payment_links where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By the merchant's reference and by id. */
      search: (tx, { text }, limit) => tx.sql<Hit>`
        select l.id, l.title, l.external_reference as detail, case when l.active then 'active'
            else 'inactive' end as status, l.amount_cents as amount, l.currency, l.created_at as at
          from payment_links l
         where l.organisation_id = ${tx.organisation} and l.id in (
           (select id from payment_links where organisation_id = ${tx.organisation} and external_reference >= ${text}
             and external_reference < ${endOfPrefix(text)} order by external_reference limit ${limit})
           union all select ${text})
         order by l.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from payment_links l
         cross join lateral (values ('customer', l.customer_id), ('product', l.product_id), ('invoice', l.invoice_id),
           ('subscription', l.gateway_subscription_id)) as r(relation, id)
         where l.organisation_id = ${tx.organisation} and l.id = ${id}
        union all
        (select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.payment_link_id = ${id}
          order by g.id desc limit ${RELATED_MAX})
        union all
        (select 'eft_order', o.id from eft_orders o where o.organisation_id = ${tx.organisation} and o.payment_link_id = ${id}
          order by o.id desc limit ${RELATED_MAX})`,
      origin: (tx, id) => tx.sql<Origin>`
        select id, created_at as "madeAt", coalesce(gateway_subscription_id, invoice_id) as "from", 'system' as by
          from payment_links where organisation_id = ${tx.organisation} and id = ${id}`,
    },
  ],
  held: {
    "payment-links": (tx, customer) =>
      part`from payment_links t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    payment_links: {
      plain:
        "id short_code currency return_url recurring_frequency customer_id product_id issued_by invoice_id gateway_subscription_id",
      columns: {
        metadata: erased("'{}'"),
        description: erased(),
        title: erased("'erased'"),
        external_reference: MERCHANTS_REFERENCE,
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
