// Writes nothing. Reads: disputes, dispute_evidence, transactions, invoices.

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
         cross join lateral (values ('transaction', t.reference), ('customer', t.customer_id), ('invoice', t.invoice_id),
           ('gateway', t.gateway_account_id)) as r(relation, id)
         where d.organisation_id = ${tx.organisation} and d.id = ${id}`,
    },
  ],
  held: {
    disputes: (tx, customer) =>
      part`from disputes t where t.organisation_id = ${tx.organisation} and t.transaction_id = any (${subjectsOf(tx, customer)})`,
    "dispute-evidence": (tx, customer) =>
      part`from dispute_evidence t where t.organisation_id = ${tx.organisation} and t.dispute_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    disputes: {
      plain: "id transaction_id gateway_dispute_id reversal_id currency code status",
      columns: {
        reason: keptByTaxLaw(),
      },
      subjects: `select d.id from transactions t
      join disputes d on d.organisation_id = p_organisation and d.transaction_id = t.id
     where t.organisation_id = p_organisation and t.customer_id = p_customer
     union select d.id from invoices i
      join transactions t on t.organisation_id = p_organisation and t.invoice_id = i.id
      join disputes d on d.organisation_id = p_organisation and d.transaction_id = t.id
     where i.organisation_id = p_organisation and i.customer_id = p_customer`,
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
