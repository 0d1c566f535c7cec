// Writes nothing. Reads: credit_note_lines, credit_notes.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { keptByTaxLaw } from "../../domain/erasure.ts";
import { type Hit, type NameRow, type Origin, type RelatedRow, record, startsOf } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How credit notes are named, found, related, handed over and erased. */
export const CREDIT_NOTE_RECORD = record({
  kinds: [
    {
      prefix: "cn",
      noun: "credit_note",
      permission: "credit_notes:read",
      path: "/credit-notes",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, number as name, id as target from credit_notes where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By number and id. */
      search: (tx, search, limit) => tx.sql<Hit>`
        select n.id, n.number as title, ${CUSTOMER_LABEL} as detail, n.status, n.amount_cents as amount, n.currency, n.created_at as at
          from credit_notes n ${joinCustomer(tx, part`n.customer_id`)}
         where n.organisation_id = ${tx.organisation} and n.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select m.id from credit_notes m
             where m.organisation_id = ${tx.organisation} and m.number >= s.first and m.number < s.last
             order by m.number desc limit ${limit}) f)
           union all select ${search.text})
         order by n.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from credit_notes n
         cross join lateral (values ('customer', n.customer_id), ('invoice', n.invoice_id),
                             ('transaction', n.transaction_reference)) as r(relation, id)
         where n.organisation_id = ${tx.organisation} and n.id = ${id}`,
      origin: (tx, id) => tx.sql<Origin>`
        select id, created_at as "madeAt", coalesce(transaction_reference, invoice_id) as "from", 'system' as by
          from credit_notes where organisation_id = ${tx.organisation} and id = ${id}`,
    },
  ],
  held: {
    "credit-notes": (tx, customer) =>
      part`from credit_notes t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
    "credit-note-lines": (tx, customer) =>
      part`from credit_notes n join credit_note_lines t on t.organisation_id = ${tx.organisation}
          and t.credit_note_id = n.id where n.organisation_id = ${tx.organisation} and n.customer_id = ${customer}`,
  },
  tables: {
    credit_note_applications: {
      plain: "credit_note_id invoice_id",
    },
    credit_note_refunds: {
      plain: "credit_note_id refund_id",
    },
    credit_note_lines: {
      plain: "credit_note_id",
      columns: {
        description: keptByTaxLaw("'erased'"),
      },
      rows: "credit_note_id = any (subjects)",
    },
    credit_notes: {
      plain: "id number status customer_id invoice_id currency transaction_reference refund_id",
      columns: {
        reason: keptByTaxLaw("'erased'"),
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
  },
});
