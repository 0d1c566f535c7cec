// Writes nothing. Reads: refunds.

import { keptByTaxLaw } from "../../domain/erasure.ts";
import { joinPayment } from "../../domain/joins.ts";
import { type Hit, type NameRow, record, startsOf, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How refunds are named, found, handed over and erased. */
export const REFUND_RECORD = record({
  kinds: [
    {
      prefix: "ref",
      noun: "refund",
      permission: "transactions:read",
      path: "/transactions",
      names: (tx, ids) => tx.sql<NameRow>`
        select r.id, r.refund_number as name, t.reference as target
          from refunds r ${joinPayment(tx, part`r.transaction_id`)}
         where r.organisation_id = ${tx.organisation} and r.id = any (${ids})`,
      /** By number. The title is the refund's, the id that of its transaction. */
      search: (tx, search, limit) => tx.sql<Hit>`
        select t.reference as id, r.refund_number as title, t.reference as detail, r.status, r.amount_cents as amount,
               r.currency, r.created_at as at
          from refunds r ${joinPayment(tx, part`r.transaction_id`)}
         where r.organisation_id = ${tx.organisation} and r.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select n.id from refunds n
             where n.organisation_id = ${tx.organisation} and n.refund_number >= s.first and n.refund_number < s.last
             order by n.refund_number desc limit ${limit}) f)
           union all select ${search.text})
         order by r.id desc limit ${limit}`,
    },
  ],
  held: {
    refunds: (tx, customer) =>
      part`from refunds t where t.organisation_id = ${tx.organisation} and t.transaction_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    refunds: {
      plain: "id transaction_id refund_number currency method status provider_ref",
      columns: {
        reason: keptByTaxLaw("null"),
        failure: keptByTaxLaw(),
      },
      rows: "transaction_id = any (subjects)",
    },
  },
});
