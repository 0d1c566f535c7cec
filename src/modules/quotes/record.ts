// Writes nothing. Reads: quote_lines, quotes.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { erased } from "../../domain/erasure.ts";
import { type Hit, type NameRow, type RelatedRow, record, startsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How quotes are named, found, related, handed over and erased. */
export const QUOTE_RECORD = record({
  kinds: [
    {
      prefix: "quo",
      noun: "quote",
      permission: "quotes:read",
      path: "/quotes",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, number as name, id as target from quotes where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By number, amount and id; and those of the customers. */
      search: (tx, search, limit) => tx.sql<Hit>`
        select q.id, q.number as title, ${CUSTOMER_LABEL} as detail, q.status, q.total_cents as amount, q.currency, q.issue_date as at
          from quotes q ${joinCustomer(tx, part`q.customer_id`)}
         where q.organisation_id = ${tx.organisation} and q.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select n.id from quotes n
             where n.organisation_id = ${tx.organisation} and n.number >= s.first and n.number < s.last
             order by n.number desc limit ${limit}) f)
           union all (select f.id from unnest(${search.amounts}::bigint[]) as k(cents) cross join lateral (select n.id from quotes n
             where n.organisation_id = ${tx.organisation} and n.total_cents = k.cents order by n.id desc limit ${limit}) f)
           union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from quotes n
             where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
           union all select ${search.text})
         order by q.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from quotes q cross join lateral (values ('customer', q.customer_id), ('invoice', q.invoice_id)) as r(relation, id)
         where q.organisation_id = ${tx.organisation} and q.id = ${id}`,
    },
  ],
  held: {
    quotes: (tx, customer) =>
      part`from quotes t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
    "quote-lines": (tx, customer) =>
      part`from quotes q join quote_lines t on t.organisation_id = ${tx.organisation} and t.quote_id = q.id
        where q.organisation_id = ${tx.organisation} and q.customer_id = ${customer}`,
  },
  tables: {
    quote_lines: {
      plain: "quote_id",
      columns: {
        details: erased(),
        description: erased("'erased'"),
      },
      rows: "quote_id = any (subjects)",
    },
    quotes: {
      plain: "id number status customer_id currency invoice_id",
      columns: {
        accepted_by: erased(),
        notes: erased(),
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
