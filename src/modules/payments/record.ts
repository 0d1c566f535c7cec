// Writes nothing. Reads: card_charges, card_setup_payments, card_setups, checkout_payments, collection_attempts, credit_notes, debits,
// invoice_payments, invoices, transactions.

import { erased, keptByTaxLaw, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { allAccounts, relatedBankLines, relatedDisputes } from "../../domain/joins.ts";
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
import { findByIdOrReference } from "./store/payments.ts";

/** How payments are named, found, related, handed over and erased. */
export const PAYMENT_RECORD = record({
  kinds: [
    {
      prefix: "txn",
      noun: "transaction",
      permission: "transactions:read",
      path: "/transactions",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, reference as name, reference as target
          from transactions where organisation_id = ${tx.organisation} and id = any (${ids})`,
      /**
       * By our reference, the merchant's, the gateway's, the amount, the address of a payer who is no customer; and
       * those of the customers.
       */
      search: (tx, search, limit) => tx.sql<Hit>`
        select t.id, t.reference as title, coalesce(t.description, t.payer_email) as detail, t.status,
               t.amount_cents as amount, t.currency, t.created_at as at
          from transactions t
         where t.organisation_id = ${tx.organisation} and t.id in (
           (select f.id from ${startsOf(search)} cross join lateral (select n.id from transactions n
             where n.organisation_id = ${tx.organisation} and n.reference >= s.first and n.reference < s.last
             order by n.reference desc limit ${limit}) f)
           union all (select id from transactions where organisation_id = ${tx.organisation} and external_reference >= ${search.text}
             and external_reference < ${endOfPrefix(search.text)} order by external_reference limit ${limit})
           union all (select f.id from unnest(${search.amounts}::bigint[]) as k(cents) cross join lateral (select n.id from transactions n
             where n.organisation_id = ${tx.organisation} and n.amount_cents = k.cents order by n.id desc limit ${limit}) f)
           union all (select f.id
             from unnest(${search.addresses}::text[], ${search.addresses.map(endOfPrefix)}::text[]) as a(first, last)
             cross join lateral (select n.id from transactions n
             where n.organisation_id = ${tx.organisation} and n.customer_id is null and n.payer_email is not null
               and n.payer_email collate "C" >= a.first and n.payer_email collate "C" < a.last
                 order by n.payer_email collate "C" limit ${limit}) f)
           union all (select id from transactions where organisation_id = ${tx.organisation} and provider_ref = ${search.text}
             and gateway_account_id = any (${allAccounts(tx)}) limit ${limit})
           union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from transactions n
             where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
           union all select ${search.text})
         order by t.id desc limit ${limit}`,
      related: async (tx, name) => {
        const ids = await findByIdOrReference(tx, name);
        if (!ids) return [];
        const { id, reference } = ids;
        return tx.sql<RelatedRow>`
          select r.* from transactions t
           cross join lateral (values ('customer', t.customer_id), ('invoice', t.invoice_id), ('payment_link', t.payment_link_id),
             ('eft_order', t.eft_order_id), ('transaction', t.parent_reference), ('gateway', t.gateway_account_id),
             (case when t.subscription_id like 'csub\\_%' then 'customer_subscription' else 'subscription' end,
              t.subscription_id)) as r(relation, id)
           where t.organisation_id = ${tx.organisation} and t.id = ${id}
          union all
          select 'invoice', p.invoice_id from invoice_payments p where p.organisation_id = ${tx.organisation} and p.subject = ${id}
          union all
          select 'credit_note', n.id from credit_notes n where n.organisation_id = ${tx.organisation}
              and n.transaction_reference = ${reference}
          union all
          select r.* from debits d
           cross join lateral (values ('mandate', d.mandate_id), ('debit_batch', d.debit_batch_id)) as r(relation, id)
           where d.organisation_id = ${tx.organisation} and d.transaction_id = ${id}
          union all
          select 'card', c.card_id from card_charges c where c.organisation_id = ${tx.organisation} and c.transaction_id = ${id}
          union all
          select 'card', s.card_id from card_setup_payments p
            join card_setups s on s.organisation_id = ${tx.organisation} and s.id = p.card_setup_id
           where p.organisation_id = ${tx.organisation} and p.transaction_id = ${id}
          union all
          select 'coupon', p.coupon_id from checkout_payments p where p.organisation_id = ${tx.organisation} and p.transaction_id = ${id}
          union all
          select 'customer_subscription', a.customer_subscription_id from collection_attempts a
           where a.organisation_id = ${tx.organisation} and a.transaction_id = ${id}
          union all
          ${relatedDisputes(tx, id)}
          union all
          ${relatedBankLines(tx, part`a.subject = ${id}`)}`;
      },
      origin: (tx, name) => tx.sql<Origin>`
        select t.id, t.created_at as "madeAt",
               coalesce(t.eft_order_id, o.checkout_session_id, d.debit_batch_id, c.due_invoice_id,
                        case when c.id is null then t.payment_link_id end, s.card_setup_id, t.subscription_id) as "from",
               case when d.transaction_id is not null or c.id is not null then 'system' when t.renewal then 'gateway' else 'payer' end as by
          from transactions t
          left join checkout_payments o on o.organisation_id = ${tx.organisation} and o.transaction_id = t.id
          left join debits d on d.organisation_id = ${tx.organisation} and d.transaction_id = t.id
          left join card_charges c on c.organisation_id = ${tx.organisation} and c.transaction_id = t.id
          left join card_setup_payments s on s.organisation_id = ${tx.organisation} and s.transaction_id = t.id
         where t.organisation_id = ${tx.organisation} and (t.id = ${name} or t.reference = ${name})`,
    },
  ],
  held: {
    payments: (tx, customer) =>
      part`from transactions t where t.organisation_id = ${tx.organisation} and t.id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    payment_starts: {},
    transactions: {
      plain:
        "id reference status currency type gateway_account_id gateway_type provider_ref checkout_ref payment_link_id " +
        "customer_id parent_reference subscription_id flags invoice_id eft_order_id decline_reason card_brand card_last4",
      columns: {
        payer_email: erased(),
        metadata: erased("'{}'"),
        handoff_sealed: erased(),
        description: keptByTaxLaw("null"),
        external_reference: MERCHANTS_REFERENCE,
      },
      rows: "id = any (subjects)",
      counted: "payments",
      subjects: `select unnest(array[t.id, t.reference, t.eft_order_id]) from transactions t
        where t.organisation_id = p_organisation and t.customer_id = p_customer
     union select unnest(array[t.id, t.reference, t.eft_order_id]) from invoices i
      join transactions t on t.organisation_id = p_organisation and t.invoice_id = i.id
     where i.organisation_id = p_organisation and i.customer_id = p_customer`,
    },
  },
});
