// Writes nothing. Reads: reconciliation_allocations, reconciliation_items, reconciliation_rules, reconciliation_runs, transactions.

import { keptWithStatement, OF_STAFF } from "../../domain/erasure.ts";
import { joinInvoice, joinPayment } from "../../domain/joins.ts";
import { bankLinesOf, type Hit, type NameRow, type RelatedRow, record } from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { part } from "../../platform/database.ts";

/** How bank statements, their lines and the rules that match them are named, related, handed over and erased. */
export const RECONCILIATION_RECORD = record({
  kinds: [
    {
      prefix: "rci",
      noun: "reconciliation_item",
      permission: "reconciliation:read",
      path: "/reconciliation/items",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, nullif(description, '') as name, id as target
          from reconciliation_items where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /** By amount, whichever way the money went, by reference and by id. */
      search: (tx, { text, amounts }, limit) => tx.sql<Hit>`
        select i.id, coalesce(nullif(i.description, ''), i.reference, i.id) as title, r.account as detail, i.status,
               i.amount_cents as amount, r.currency, i.date::text as at
          from reconciliation_items i
          join reconciliation_runs r on r.organisation_id = ${tx.organisation} and r.id = i.run_id
         where i.organisation_id = ${tx.organisation} and i.id in (
           (select f.id from unnest(${amounts.flatMap((one) => [one, -one])}::bigint[]) as k(cents)
             cross join lateral (select n.id from reconciliation_items n
             where n.organisation_id = ${tx.organisation} and n.amount_cents = k.cents order by n.id desc limit ${limit}) f)
           union all (select id from reconciliation_items where organisation_id = ${tx.organisation}
             and reference collate "C" >= ${text} and reference collate "C" < ${endOfPrefix(text)}
             order by reference collate "C" limit ${limit})
           union all select ${text})
         order by i.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select distinct r.* from reconciliation_allocations a
          left ${joinPayment(tx, part`a.subject`)}
          left ${joinInvoice(tx, part`a.invoice_id`)}
         cross join lateral (values ('customer', coalesce(i.customer_id, t.customer_id)), ('transaction', t.reference),
                             ('invoice', i.id)) as r(relation, id)
         where a.organisation_id = ${tx.organisation} and a.item_id = ${id} and a.undone_at is null
        union all
        select r.* from reconciliation_items l
          join transactions t on t.organisation_id = ${tx.organisation} and t.reference = l.transaction_reference
         cross join lateral (values ('customer', t.customer_id), ('transaction', t.reference)) as r(relation, id)
         where l.organisation_id = ${tx.organisation} and l.id = ${id}`,
    },
    {
      prefix: "rcm",
      permission: "reconciliation:read",
      path: "/reconciliation/items",
      names: (tx, ids) => tx.sql<NameRow>`
        select distinct a.match_id as id, nullif(i.description, '') as name, i.id as target
          from reconciliation_allocations a join reconciliation_items i on i.organisation_id = ${tx.organisation} and i.id = a.item_id
         where a.organisation_id = ${tx.organisation} and a.match_id = any (${ids})`,
    },
    {
      prefix: "rcn",
      permission: "reconciliation:read",
      path: "/reconciliation/runs",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, coalesce(file_name, account) as name, id as target
          from reconciliation_runs where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
    {
      prefix: "rcr",
      permission: "reconciliation:read",
      path: "/reconciliation/rules",
      list: true,
      names: (tx, ids) => tx.sql<NameRow>`
        select id, fragment as name, id as target
          from reconciliation_rules where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  held: {
    "bank-lines": (tx, customer) =>
      part`from reconciliation_items t where t.organisation_id = ${tx.organisation} and t.id = any (${bankLinesOf(tx, customer)})`,
  },
  tables: {
    awaited_payments: {
      plain: "transaction_id type currency gateway_account_id",
    },
    reconciliation_accounts: {
      plain: "account mapping gateway_account_id",
    },
    reconciliation_allocations: {
      plain: "match_id item_id kind subject invoice_id",
    },
    reconciliation_items: {
      plain: "id run_id status line_key bank_key transaction_reference match_id reason",
      columns: {
        description: keptWithStatement("'erased'"),
        reference: keptWithStatement("null"),
        ignored_because: keptWithStatement(),
        matched_by: OF_STAFF,
      },
      rows: "id = any (lines)",
    },
    reconciliation_rules: {
      plain: "id account direction kind subject status item_id",
      columns: {
        fragment: keptWithStatement(),
      },
      notHanded: "words that many lines share",
    },
    reconciliation_runs: {
      plain: "id source account gateway_account_id status currency file_name failure row_counts warnings",
      columns: {
        withdrawn_by: OF_STAFF,
      },
    },
  },
});
