// Writes nothing. Reads: eft_orders, eft_proofs, payment_links, transactions.

import { ERASED, erased, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { relatedBankLines } from "../../domain/joins.ts";
import {
  type Hit,
  type NameRow,
  type Origin,
  type RelatedRow,
  record,
  startsOf,
  subjectsOf,
} from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { part } from "../../platform/database.ts";

/** How eft orders are named, found, related, handed over and erased. */
export const EFT_ORDER_RECORD = record({
  kinds: [
    {
      prefix: "eft",
      noun: "eft_order",
      permission: "eft_orders:read",
      path: "/eft-orders",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, reference as name, id as target from eft_orders where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By our reference, the merchant's and by id. */
      search: (tx, search, limit) => tx.sql<Hit>`
        select o.id, o.reference as title, coalesce(o.description, o.payer_email) as detail, o.status,
               o.amount_cents as amount, o.currency, o.created_at as at
          from eft_orders o
         where o.organisation_id = ${tx.organisation} and o.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select n.id from eft_orders n
             where n.organisation_id = ${tx.organisation} and n.reference >= s.first and n.reference < s.last
             order by n.reference desc limit ${limit}) f)
           union all (select id from eft_orders where organisation_id = ${tx.organisation} and external_reference >= ${search.text}
             and external_reference < ${endOfPrefix(search.text)} order by external_reference limit ${limit})
           union all select ${search.text})
         order by o.id desc limit ${limit}`,
      related: async (tx, id) => tx.sql<RelatedRow>`
        select r.* from eft_orders o
          left join transactions t on t.organisation_id = ${tx.organisation} and t.reference = o.reference
          left join payment_links l on l.organisation_id = ${tx.organisation} and l.id = o.payment_link_id
         cross join lateral (values ('customer', o.customer_id), ('payment_link', o.payment_link_id), ('transaction', t.reference),
           ('invoice', coalesce(t.invoice_id, l.invoice_id)), ('gateway', o.gateway_account_id)) as r(relation, id)
         where o.organisation_id = ${tx.organisation} and o.id = ${id}
        union all
        ${relatedBankLines(
          tx,
          part`a.subject = any (array(select t.id from eft_orders o
          join transactions t on t.organisation_id = ${tx.organisation} and t.reference = o.reference
         where o.organisation_id = ${tx.organisation} and o.id = ${id}))`,
        )}`,
      origin: (tx, id) => tx.sql<Origin>`
        select id, created_at as "madeAt", payment_link_id as "from", 'payer' as by
          from eft_orders where organisation_id = ${tx.organisation} and id = ${id}`,
    },
  ],
  held: {
    "eft-orders": (tx, customer) =>
      part`from eft_orders t where t.organisation_id = ${tx.organisation} and t.id = any (${subjectsOf(tx, customer)})`,
    "eft-proofs": (tx, customer) =>
      part`from eft_proofs t where t.organisation_id = ${tx.organisation} and t.order_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    eft_orders: {
      plain: "id reference status currency customer_id payment_link_id gateway_account_id",
      columns: {
        payer_email: erased(),
        metadata: erased("'{}'"),
        description: erased(),
        external_reference: MERCHANTS_REFERENCE,
        rejection_reason: erased(),
      },
      rows: "id = any (subjects)",
      counted: "eftOrders",
      subjects: "customer_id",
    },
    eft_proofs: {
      plain: "id order_id content_type source sha256",
      columns: {
        file_name: ERASED,
        content: ERASED,
      },
      rows: "order_id = any (subjects)",
      deleted: true,
      counted: "proofs",
    },
  },
});
