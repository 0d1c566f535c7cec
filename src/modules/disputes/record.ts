// Writes nothing. Reads: disputes, dispute_evidence.

import { ERASED, keptByTaxLaw } from "../../domain/erasure.ts";
import { joinPayment } from "../../domain/joins.ts";
import { type NameRow, type RelatedRow, record, subjectsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How disputes are named, related, handed over and erased. */
export const DISPUTE_RECORD = record({
  kinds: [
    {
      prefix: "dsp",
      noun: "dispute",
      permission: "transactions:read",
      path: "/disputes",
      names: (tx, ids) => tx.sql<NameRow>`
        select d.id, 'Dispute of ' || t.reference as name, d.id as target
          from disputes d ${joinPayment(tx, part`d.transaction_id`)}
         where d.organisation_id = ${tx.organisation} and d.id = any (${ids})`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from disputes d ${joinPayment(tx, part`d.transaction_id`)}
         cross join lateral (values ('transaction', t.reference), ('customer', d.customer_id), ('invoice', t.invoice_id),
           ('gateway', t.gateway_account_id)) as r(relation, id)
         where d.organisation_id = ${tx.organisation} and d.id = ${id}`,
    },
  ],
  held: {
    disputes: (tx, customer) =>
      part`from disputes t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
    "dispute-evidence": (tx, customer) =>
      part`from dispute_evidence t where t.organisation_id = ${tx.organisation} and t.dispute_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    disputes: {
      plain: "id transaction_id customer_id gateway_dispute_id reversal_id currency code status",
      columns: {
        reason: keptByTaxLaw(),
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
    dispute_evidence: {
      plain: "id dispute_id content_type sha256",
      columns: {
        file_name: ERASED,
        content: ERASED,
      },
      rows: "dispute_id = any (subjects)",
      deleted: true,
    },
  },
});
