// Writes nothing (customer_words are kept by a trigger of customers). Reads: customers, customer_words, invoices, quotes, credit_notes, transactions, gateway_accounts, refunds, payment_links, eft_orders, mandates, customer_subscriptions, plans, gateway_subscriptions, subscription_migrations.

import { endOfPrefix } from "../../kernel/text.ts";
import { CUSTOMER_LABEL } from "../../platform/customer-name.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import type { Finder, Hit } from "../../platform/records.ts";
import type { Search } from "./types.ts";

/*
 * Each way of finding a record has an index of its own, which is read from one end up to the limit: the cost of a search does not grow with the
 * number of matches.
 */

/** The most customers with the first word that are compared with the other words. */
const CANDIDATES = 10_000;
/** The usual maximum of words of one customer with the same beginning: name, parts of the address. */
const ALIKE = 8;

/** Customers who have, for each typed word, a word that begins with it, whatever the case and accents; newest first among the first `CANDIDATES`. */
export const searchCustomers = (tx: Tx, { text, words }: Search, limit: number): Promise<Hit[]> => {
  const [first = "", ...others] = words.toSorted((a, b) => b.length - a.length);
  return tx.sql<Hit>`
    with worded as materialized (
      select w.customer_id from customer_words w
       where w.organisation_id = ${tx.organisation} and ${first} <> '' and w.word >= search_folded(${first}) and w.word < search_folded(${endOfPrefix(first)}) limit ${CANDIDATES}),
    found as (
      select w.customer_id from worded w where true ${others.reduce((all, word) => part`${all} ${hasWord(tx, word)}`, NOTHING)}
       limit ${limit * ALIKE})
    select c.id, ${CUSTOMER_LABEL} as title, coalesce(c.email, c.external_reference) as detail, c.standing as status, null::bigint as amount,
           null as currency, c.created_at as at
      from customers c where c.organisation_id = ${tx.organisation} and c.id = any (array(select customer_id from found union all select ${text}))
     order by c.id desc limit ${limit}`;
};

const hasWord = (tx: Tx, word: string) => part`
  and exists (select from customer_words o where o.organisation_id = ${tx.organisation} and o.customer_id = w.customer_id
    and o.word >= search_folded(${word}) and o.word < search_folded(${endOfPrefix(word)}))`;

/** The beginnings of our own numbers and references as `s`, each with the end of its range. */
const starts = ({ references }: Search) =>
  part`unnest(${references}::text[], ${references.map(endOfPrefix)}::text[]) as s(first, last)`;

/** By number, by the merchant's reference, by amount, by id; and those of the customers. */
export const searchInvoices: Finder = (tx, search, limit) => tx.sql<Hit>`
  select i.id, i.number as title, ${CUSTOMER_LABEL} as detail, i.status, i.total_cents as amount, i.currency, i.issue_date as at
    from invoices i join customers c on c.organisation_id = ${tx.organisation} and c.id = i.customer_id
   where i.organisation_id = ${tx.organisation} and i.id in (
     (select f.id from ${starts(search)} cross join lateral (select n.id from invoices n
       where n.organisation_id = ${tx.organisation} and n.number >= s.first and n.number < s.last order by n.number desc limit ${limit}) f)
     union all (select id from invoices where organisation_id = ${tx.organisation} and external_reference >= ${search.text}
       and external_reference < ${endOfPrefix(search.text)} order by external_reference limit ${limit})
     union all (select id from invoices where organisation_id = ${tx.organisation} and total_cents = ${search.amount}::bigint order by id desc limit ${limit})
     union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from invoices n
       where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
     union all select ${search.text})
   order by i.id desc limit ${limit}`;

/** By number, amount and id; and those of the customers. */
export const searchQuotes: Finder = (tx, search, limit) => tx.sql<Hit>`
  select q.id, q.number as title, ${CUSTOMER_LABEL} as detail, q.status, q.total_cents as amount, q.currency, q.issue_date as at
    from quotes q join customers c on c.organisation_id = ${tx.organisation} and c.id = q.customer_id
   where q.organisation_id = ${tx.organisation} and q.id in (
     (select f.id from ${starts(search)} cross join lateral (select n.id from quotes n
       where n.organisation_id = ${tx.organisation} and n.number >= s.first and n.number < s.last order by n.number desc limit ${limit}) f)
     union all (select id from quotes where organisation_id = ${tx.organisation} and total_cents = ${search.amount}::bigint order by id desc limit ${limit})
     union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from quotes n
       where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
     union all select ${search.text})
   order by q.id desc limit ${limit}`;

/** By number and id. */
export const searchCreditNotes: Finder = (tx, search, limit) => tx.sql<Hit>`
  select n.id, n.number as title, ${CUSTOMER_LABEL} as detail, n.status, n.amount_cents as amount, n.currency, n.created_at as at
    from credit_notes n join customers c on c.organisation_id = ${tx.organisation} and c.id = n.customer_id
   where n.organisation_id = ${tx.organisation} and n.id in (
     (select f.id from ${starts(search)} cross join lateral (select m.id from credit_notes m
       where m.organisation_id = ${tx.organisation} and m.number >= s.first and m.number < s.last order by m.number desc limit ${limit}) f)
     union all select ${search.text})
   order by n.id desc limit ${limit}`;

/** By our reference, the merchant's, the gateway's, the amount, the address of a payer who is no customer; and those of the customers. */
export const searchTransactions: Finder = (tx, search, limit) => tx.sql<Hit>`
  select t.id, t.reference as title, coalesce(t.description, t.payer_email) as detail, t.status, t.amount_cents as amount, t.currency, t.created_at as at
    from transactions t
   where t.organisation_id = ${tx.organisation} and t.id in (
     (select f.id from ${starts(search)} cross join lateral (select n.id from transactions n
       where n.organisation_id = ${tx.organisation} and n.reference >= s.first and n.reference < s.last order by n.reference desc limit ${limit}) f)
     union all (select id from transactions where organisation_id = ${tx.organisation} and external_reference >= ${search.text}
       and external_reference < ${endOfPrefix(search.text)} order by external_reference limit ${limit})
     union all (select id from transactions where organisation_id = ${tx.organisation} and amount_cents = ${search.amount}::bigint order by id desc limit ${limit})
     union all (select f.id from unnest(${search.addresses}::text[], ${search.addresses.map(endOfPrefix)}::text[]) as a(first, last) cross join lateral (select n.id from transactions n
       where n.organisation_id = ${tx.organisation} and n.customer_id is null and n.payer_email is not null
         and n.payer_email collate "C" >= a.first and n.payer_email collate "C" < a.last order by n.payer_email collate "C" limit ${limit}) f)
     union all (select id from transactions where organisation_id = ${tx.organisation} and provider_ref = ${search.text}
       and gateway_account_id = any (array(select a.id from gateway_accounts a where a.organisation_id = ${tx.organisation})) limit ${limit})
     union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from transactions n
       where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
     union all select ${search.text})
   order by t.id desc limit ${limit}`;

/** By number. The title is the refund's, the id that of its transaction. */
export const searchRefunds: Finder = (tx, search, limit) => tx.sql<Hit>`
  select t.reference as id, r.refund_number as title, t.reference as detail, r.status, r.amount_cents as amount, r.currency, r.created_at as at
    from refunds r join transactions t on t.organisation_id = ${tx.organisation} and t.id = r.transaction_id
   where r.organisation_id = ${tx.organisation} and r.id in (
     (select f.id from ${starts(search)} cross join lateral (select n.id from refunds n
       where n.organisation_id = ${tx.organisation} and n.refund_number >= s.first and n.refund_number < s.last order by n.refund_number desc limit ${limit}) f)
     union all select ${search.text})
   order by r.id desc limit ${limit}`;

/** By the merchant's reference and by id. */
export const searchPaymentLinks: Finder = (tx, { text }, limit) => tx.sql<Hit>`
  select l.id, l.title, l.external_reference as detail, case when l.active then 'active' else 'inactive' end as status, l.amount_cents as amount,
         l.currency, l.created_at as at
    from payment_links l
   where l.organisation_id = ${tx.organisation} and l.id in (
     (select id from payment_links where organisation_id = ${tx.organisation} and external_reference >= ${text}
       and external_reference < ${endOfPrefix(text)} order by external_reference limit ${limit})
     union all select ${text})
   order by l.id desc limit ${limit}`;

/** By our reference, the merchant's and by id. */
export const searchEftOrders: Finder = (tx, search, limit) => tx.sql<Hit>`
  select o.id, o.reference as title, coalesce(o.description, o.payer_email) as detail, o.status, o.amount_cents as amount, o.currency, o.created_at as at
    from eft_orders o
   where o.organisation_id = ${tx.organisation} and o.id in (
     (select f.id from ${starts(search)} cross join lateral (select n.id from eft_orders n
       where n.organisation_id = ${tx.organisation} and n.reference >= s.first and n.reference < s.last order by n.reference desc limit ${limit}) f)
     union all (select id from eft_orders where organisation_id = ${tx.organisation} and external_reference >= ${search.text}
       and external_reference < ${endOfPrefix(search.text)} order by external_reference limit ${limit})
     union all select ${search.text})
   order by o.id desc limit ${limit}`;

/** By account reference and id; and those of the customers. */
export const searchMandates: Finder = (tx, search, limit) => tx.sql<Hit>`
  select m.id, m.account_reference as title, ${CUSTOMER_LABEL} as detail, m.status, m.amount_cents as amount, null as currency, m.created_at as at
    from mandates m join customers c on c.organisation_id = ${tx.organisation} and c.id = m.customer_id
   where m.organisation_id = ${tx.organisation} and m.id in (
     (select f.id from ${starts(search)} cross join lateral (select n.id from mandates n
       where n.organisation_id = ${tx.organisation} and n.account_reference >= s.first and n.account_reference < s.last order by n.account_reference desc limit ${limit}) f)
     union all (select f.id from unnest(${search.customers}::text[]) as k(id) cross join lateral (select n.id from mandates n
       where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
     union all select ${search.text})
   order by m.id desc limit ${limit}`;

/** By the merchant's reference and by id; and those of the customers. */
export const searchCustomerSubscriptions: Finder = (tx, { text, customers }, limit) => tx.sql<Hit>`
  select s.id, p.name as title, ${CUSTOMER_LABEL} as detail, s.status, null::bigint as amount, null as currency, s.created_at as at
    from customer_subscriptions s join customers c on c.organisation_id = ${tx.organisation} and c.id = s.customer_id
    join plans p on p.organisation_id = ${tx.organisation} and p.id = s.plan_id
   where s.organisation_id = ${tx.organisation} and s.id in (
     (select id from customer_subscriptions where organisation_id = ${tx.organisation} and external_reference >= ${text}
       and external_reference < ${endOfPrefix(text)} order by external_reference limit ${limit})
     union all (select f.id from unnest(${customers}::text[]) as k(id) cross join lateral (select n.id from customer_subscriptions n
       where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
     union all select ${text})
   order by s.id desc limit ${limit}`;

/** By the merchant's reference and by id. */
export const searchGatewaySubscriptions: Finder = (tx, { text }, limit) => tx.sql<Hit>`
  select s.id, coalesce(m.payer_name, s.description, s.payer_email, s.id) as title, s.external_reference as detail, s.status, s.amount_cents as amount, s.currency, s.created_at as at
    from gateway_subscriptions s
    left join subscription_migrations m on m.organisation_id = ${tx.organisation} and m.gateway_subscription_id = s.id
   where s.organisation_id = ${tx.organisation} and s.id in (
     (select id from gateway_subscriptions where organisation_id = ${tx.organisation} and external_reference >= ${text}
       and external_reference < ${endOfPrefix(text)} order by external_reference limit ${limit})
     union all select ${text})
   order by s.id desc limit ${limit}`;
