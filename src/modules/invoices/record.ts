// Writes nothing. Reads: credit_note_applications, credit_notes, gateway_subscriptions, invoice_lines, invoice_payments, invoices,
// mandates, payment_links, reconciliation_allocations, transactions.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { fromBills } from "../../domain/customer-subscriptions.ts";
import { erased, keptByTaxLaw, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { joinSubscription, relatedBankLines } from "../../domain/joins.ts";
import {
  type Hit,
  type NameRow,
  type Origin,
  RELATED_MAX,
  type RelatedRow,
  record,
  startsOf,
} from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { part } from "../../platform/database.ts";

/** How invoices are named, found, related, handed over and erased. */
export const INVOICE_RECORD = record({
  kinds: [
    {
      prefix: "inv",
      noun: "invoice",
      permission: "invoices:read",
      path: "/invoices",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, number as name, id as target from invoices where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By number, by the merchant's reference, by amount, by id; and those of the customers. */
      search: (tx, search, limit) => tx.sql<Hit>`
        select i.id, i.number as title, ${CUSTOMER_LABEL} as detail, i.status, i.total_cents as amount, i.currency, i.issue_date as at
          from invoices i ${joinCustomer(tx, part`i.customer_id`)}
         where i.organisation_id = ${tx.organisation} and i.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select n.id from invoices n
             where n.organisation_id = ${tx.organisation} and n.number >= s.first and n.number < s.last
             order by n.number desc limit ${limit}) f)
           union all (select id from invoices where organisation_id = ${tx.organisation} and external_reference >= ${search.text}
             and external_reference < ${endOfPrefix(search.text)} order by external_reference limit ${limit})
           union all (select f.id from unnest(${search.amounts}::bigint[]) as k(cents) cross join lateral (select n.id from invoices n
             where n.organisation_id = ${tx.organisation} and n.total_cents = k.cents order by n.id desc limit ${limit}) f)
           union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from invoices n
             where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
           union all select ${search.text})
         order by i.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from invoices i cross join lateral (values ('customer', i.customer_id), ('quote', i.quote_id)) as r(relation, id)
         where i.organisation_id = ${tx.organisation} and i.id = ${id}
        union all
        select r.* from (select b.* ${fromBills(tx)} and b.invoice_id = ${id}) b
          left ${joinSubscription(tx, part`b.customer_subscription_id`)}
          left join mandates m on m.organisation_id = ${tx.organisation} and m.subscription_id = s.id
           and s.collection_method = 'debit_order' and m.status <> 'cancelled'
         cross join lateral (values ('customer_subscription', b.customer_subscription_id), ('mandate', m.id)) as r(relation, id)
        union all
        select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.invoice_id = ${id}
        union all
        select 'credit_note', n.id from credit_notes n where n.organisation_id = ${tx.organisation} and n.invoice_id = ${id}
        union all
        select 'credit_note', a.credit_note_id from credit_note_applications a
         where a.organisation_id = ${tx.organisation} and a.invoice_id = ${id}
        union all
        (select 'payment_link', l.id from payment_links l where l.organisation_id = ${tx.organisation} and l.invoice_id = ${id}
          order by l.id desc limit ${RELATED_MAX})
        union all
        (select 'transaction', t.reference from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = ${id}
          order by t.id desc limit ${RELATED_MAX})
        union all
        ${relatedBankLines(tx, part`a.invoice_id = ${id}`)}`,
      origin: (tx, id) => tx.sql<Origin>`
        select i.id, i.created_at as "madeAt", coalesce(i.quote_id, b.customer_subscription_id, r.subscription_id) as "from", 'system' as by
          from invoices i
          left join lateral (select b.customer_subscription_id ${fromBills(tx)} and b.invoice_id = i.id) b on true
          left join lateral (select t.subscription_id from transactions t
            where t.organisation_id = ${tx.organisation} and t.invoice_id = i.id and t.renewal order by t.id limit 1) r on true
         where i.organisation_id = ${tx.organisation} and i.id = ${id}`,
    },
    {
      prefix: "ipm",
      permission: "invoices:read",
      path: "/invoices",
      names: (tx, ids) => tx.sql<NameRow>`
        select p.id, i.number as name, i.id as target
          from invoice_payments p join invoices i on i.organisation_id = ${tx.organisation} and i.id = p.invoice_id
         where p.organisation_id = ${tx.organisation} and p.id = any (${ids})`,
    },
  ],
  held: {
    invoices: (tx, customer) =>
      part`from invoices t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
    "invoice-lines": (tx, customer) =>
      part`from invoices i join invoice_lines t on t.organisation_id = ${tx.organisation} and t.invoice_id = i.id
        where i.organisation_id = ${tx.organisation} and i.customer_id = ${customer}`,
    "invoice-payments": (tx, customer) =>
      part`from invoices i join invoice_payments t on t.organisation_id = ${tx.organisation} and t.invoice_id = i.id
        where i.organisation_id = ${tx.organisation} and i.customer_id = ${customer}`,
  },
  tables: {
    invoice_lines: {
      plain: "invoice_id",
      columns: {
        description: keptByTaxLaw("'erased'"),
        details: keptByTaxLaw("null"),
      },
      rows: "invoice_id = any (subjects)",
    },
    invoice_payments: {
      plain: "id invoice_id source subject method",
      columns: {
        reference: keptByTaxLaw("'erased'"),
      },
      rows: `id in (select a.subject from reconciliation_allocations a where a.organisation_id = p_organisation
        and a.item_id = any (lines) and a.kind = 'invoice_payment' and a.recorded)`,
    },
    invoices: {
      plain: "id number status customer_id currency exchange_source quote_id charge",
      columns: {
        metadata: erased("'{}'"),
        notes: keptByTaxLaw("null"),
        external_reference: MERCHANTS_REFERENCE,
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
    undone_invoice_payments: {
      plain: "id invoice_id",
    },
    open_invoice_totals: {
      plain: "customer_id currency",
    },
  },
});
