// Writes nothing. Reads: checkout_sessions, customer_words, customers, gateway_subscriptions, payment_links.

import { CUSTOMER_LABEL } from "../../domain/customer-name.ts";
import { ERASED, erased } from "../../domain/erasure.ts";
import type { Named } from "../../domain/lists.ts";
import { type Hit, type NameRow, RELATED_MAX, type RelatedRow, record } from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";

/** The most customers with the first word that are compared with the other words. */
const CANDIDATES = 10_000;
/** The usual maximum of words of one customer with the same beginning: name, parts of the address. */
const ALIKE = 8;

/**
 * Customers who have, for each typed word, a word that begins with it, whatever the case and accents; newest first
 * among the first `CANDIDATES`.
 */
export const searchCustomers = (tx: Tx, { text, words }: Omit<Named, "customers">, limit: number): Promise<Hit[]> => {
  const [first = "", ...others] = words.toSorted((a, b) => b.length - a.length);
  return tx.sql<Hit>`
    with worded as materialized (
      select w.customer_id from customer_words w
       where w.organisation_id = ${tx.organisation} and ${first} <> '' and w.word >= search_folded(${first})
         and w.word < search_folded(${endOfPrefix(first)}) limit ${CANDIDATES}),
    found as (
      select w.customer_id from worded w where true ${others.reduce((all, word) => part`${all} ${hasWord(tx, word)}`, NOTHING)}
       limit ${limit * ALIKE})
    select c.id, ${CUSTOMER_LABEL} as title, coalesce(c.email, c.external_reference) as detail, c.standing as status,
           null::bigint as amount, null as currency, c.created_at as at
      from customers c where c.organisation_id = ${tx.organisation}
          and c.id = any (array(select customer_id from found union all select ${text}))
     order by c.id desc limit ${limit}`;
};

const hasWord = (tx: Tx, word: string) => part`
  and exists (select from customer_words o where o.organisation_id = ${tx.organisation} and o.customer_id = w.customer_id
    and o.word >= search_folded(${word}) and o.word < search_folded(${endOfPrefix(word)}))`;

/** How customers are named, found, related, handed over and erased. */
export const CUSTOMER_RECORD = record({
  kinds: [
    {
      prefix: "cus",
      noun: "customer",
      permission: "customers:read",
      path: "/customers",
      names: (tx, ids) => tx.sql<NameRow>`
        select c.id, ${CUSTOMER_LABEL} as name, c.id as target
          from customers c where c.organisation_id = ${tx.organisation} and c.id = any (${ids})`,
      search: searchCustomers,
      related: (tx, id) => tx.sql<RelatedRow>`
        (select 'payment_link' as relation, l.id from payment_links l where l.organisation_id = ${tx.organisation} and l.customer_id = ${id}
          order by l.id desc limit ${RELATED_MAX})
        union all
        (select 'checkout_session', s.id from checkout_sessions s where s.organisation_id = ${tx.organisation} and s.customer_id = ${id}
          order by s.id desc limit ${RELATED_MAX})
        union all
        (select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.customer_id = ${id}
          order by g.id desc limit ${RELATED_MAX})`,
    },
  ],
  held: {
    customer: (tx, customer) =>
      part`from customers t where t.organisation_id = ${tx.organisation} and t.id = ${customer}`,
  },
  tables: {
    customer_words: {
      plain: "customer_id",
      columns: {
        word: ERASED,
      },
      notHanded: "the words of the customer's record, for the search",
    },
    customers: {
      plain: "id account_code",
      columns: {
        external_reference: erased(),
        email: erased(),
        first_name: erased(),
        last_name: erased(),
        company: erased(),
        vat_number: erased(),
        phone: erased(),
        address: erased(),
        metadata: erased("'{}'"),
        active: erased("false"),
        standing: erased("'suspended'"),
      },
      rows: "id = p_customer",
      subjects: "select p_customer",
    },
  },
});
