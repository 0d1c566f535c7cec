// Writes nothing. Reads: gateway_subscriptions, subscription_migrations, subscription_retries.

import { DEAD_TOKEN, erased, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { type Hit, type NameRow, type Origin, RELATED_MAX, type RelatedRow, record } from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { part } from "../../platform/database.ts";

/** How gateway subscriptions are named, found, related, handed over and erased. */
export const GATEWAY_SUBSCRIPTION_RECORD = record({
  kinds: [
    {
      prefix: "gsub",
      noun: "subscription",
      permission: "subscriptions:read",
      path: "/subscriptions",
      names: (tx, ids) => tx.sql<NameRow>`
        select s.id, coalesce(m.payer_name, s.description, s.payer_email, s.external_reference, s.first_reference) as name, s.id as target
          from gateway_subscriptions s
          left join subscription_migrations m on m.organisation_id = ${tx.organisation} and m.gateway_subscription_id = s.id
         where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
      /** By the merchant's reference and by id. */
      search: (tx, { text }, limit) => tx.sql<Hit>`
        select s.id, coalesce(m.payer_name, s.description, s.payer_email, s.id) as title,
               s.external_reference as detail, s.status, s.amount_cents as amount, s.currency, s.created_at as at
          from gateway_subscriptions s
          left join subscription_migrations m on m.organisation_id = ${tx.organisation} and m.gateway_subscription_id = s.id
         where s.organisation_id = ${tx.organisation} and s.id in (
           (select id from gateway_subscriptions where organisation_id = ${tx.organisation} and external_reference >= ${text}
             and external_reference < ${endOfPrefix(text)} order by external_reference limit ${limit})
           union all select ${text})
         order by s.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from gateway_subscriptions g
         cross join lateral (values ('customer', g.customer_id), ('invoice', g.invoice_id), ('payment_link', g.payment_link_id),
           ('gateway', g.gateway_account_id), ('subscription', g.replaced_by_id)) as r(relation, id)
         where g.organisation_id = ${tx.organisation} and g.id = ${id}
        union all
        select 'subscription', g.id from gateway_subscriptions g where g.organisation_id = ${tx.organisation} and g.replaced_by_id = ${id}
        union all
        select 'customer', m.customer_id from subscription_migrations m
         where m.organisation_id = ${tx.organisation} and m.gateway_subscription_id = ${id}
        union all
        (select 'payment_link', r.payment_link_id from subscription_retries r
          where r.organisation_id = ${tx.organisation} and r.gateway_subscription_id = ${id} order by r.id desc limit ${RELATED_MAX})`,
      origin: (tx, id) => tx.sql<Origin>`
        select id, created_at as "madeAt", payment_link_id as "from", 'payer' as by
          from gateway_subscriptions where organisation_id = ${tx.organisation} and id = ${id}`,
    },
  ],
  held: {
    "gateway-subscriptions": (tx, customer) =>
      part`from gateway_subscriptions t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    gateway_subscriptions: {
      plain:
        "id flags status frequency currency gateway_account_id gateway_type payment_link_id customer_id invoice_id " +
        "first_reference link_key card_brand card_last4 replaced_by_id",
      columns: {
        payer_email: erased(),
        metadata: erased("'{}'"),
        handle_sealed: DEAD_TOKEN,
        card_token_sealed: DEAD_TOKEN,
        description: erased(),
        external_reference: MERCHANTS_REFERENCE,
      },
      rows: "id = any (subjects)",
      subjects: "customer_id",
    },
    subscription_retries: {
      plain: "id gateway_subscription_id missed_reference payment_link_id reference collected_reference",
    },
  },
});
