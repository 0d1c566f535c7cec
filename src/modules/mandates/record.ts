// Writes nothing. Reads: mandates.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { keptAsProof } from "../../domain/erasure.ts";
import { type Hit, type NameRow, type RelatedRow, record, startsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How mandates are named, found, related, handed over and erased. */
export const MANDATE_RECORD = record({
  kinds: [
    {
      prefix: "man",
      noun: "mandate",
      permission: "mandates:read",
      path: "/mandates",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, account_reference as name, id as target
          from mandates where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By account reference and id; and those of the customers. */
      search: (tx, search, limit) => tx.sql<Hit>`
        select m.id, m.account_reference as title, ${CUSTOMER_LABEL} as detail, m.status, m.amount_cents as amount,
               null as currency, m.created_at as at
          from mandates m ${joinCustomer(tx, part`m.customer_id`)}
         where m.organisation_id = ${tx.organisation} and m.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select n.id from mandates n
             where n.organisation_id = ${tx.organisation} and n.account_reference >= s.first
               and n.account_reference < s.last order by n.account_reference desc limit ${limit}) f)
           union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from mandates n
             where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
           union all select ${search.text})
         order by m.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from mandates m
         cross join lateral (values ('customer', m.customer_id), ('customer_subscription', m.subscription_id), ('product', m.product_id),
           ('gateway', m.gateway_account_id)) as r(relation, id)
         where m.organisation_id = ${tx.organisation} and m.id = ${id}`,
    },
  ],
  held: {
    mandates: (tx, customer) =>
      part`from mandates t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    mandates: {
      plain:
        "id account_reference customer_id gateway_account_id product_id subscription_id status authority frequency account_type",
      columns: {
        account_holder: keptAsProof("'erased'"),
        account_number_sealed: keptAsProof("p_sealed_account"),
        id_number_sealed: keptAsProof("null"),
        account_number_last4: keptAsProof("'0000'"),
        id_number_last4: keptAsProof("null"),
        notes: keptAsProof("null"),
        bank_name: keptAsProof(),
        branch_code: keptAsProof(),
        e_mandate_url: keptAsProof("null"),
        rejection_reason: keptAsProof(),
        description: keptAsProof("'erased'"),
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
