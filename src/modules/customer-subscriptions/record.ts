// Writes nothing. Reads: checkout_subscriptions, customer_subscription_bills, customer_subscriptions, mandates.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { ABOUT_THE_MATTER, erased, keptByTaxLaw, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { joinPlan } from "../../domain/joins.ts";
import { type Hit, type NameRow, type Origin, RELATED_MAX, type RelatedRow, record } from "../../domain/records.ts";
import { endOfPrefix } from "../../kernel/text.ts";
import { part } from "../../platform/database.ts";

/** How customer subscriptions are named, found, related, handed over and erased. */
export const CUSTOMER_SUBSCRIPTION_RECORD = record({
  kinds: [
    {
      prefix: "csub",
      noun: "customer_subscription",
      permission: "subscriptions:read",
      path: "/customer-subscriptions",
      names: (tx, ids) => tx.sql<NameRow>`
        select s.id, concat_ws(', ', p.name, ${CUSTOMER_LABEL}) as name, s.id as target
          from customer_subscriptions s ${joinCustomer(tx, part`s.customer_id`)}
          ${joinPlan(tx, part`s.plan_id`)}
         where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
      /** By the merchant's reference and by id; and those of the customers. */
      search: (tx, { text, customers }, limit) => tx.sql<Hit>`
        select s.id, p.name as title, ${CUSTOMER_LABEL} as detail, s.status, null::bigint as amount, null as currency, s.created_at as at
          from customer_subscriptions s ${joinCustomer(tx, part`s.customer_id`)}
          ${joinPlan(tx, part`s.plan_id`)}
         where s.organisation_id = ${tx.organisation} and s.id in (
           (select id from customer_subscriptions where organisation_id = ${tx.organisation} and external_reference >= ${text}
             and external_reference < ${endOfPrefix(text)} order by external_reference limit ${limit})
           union all (select f.id from unnest(${customers}::text[]) as k(id) cross join lateral (select n.id from customer_subscriptions n
             where n.organisation_id = ${tx.organisation} and n.customer_id = k.id order by n.id desc limit ${limit}) f)
           union all select ${text})
         order by s.id desc limit ${limit}`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from customer_subscriptions s
          left join checkout_subscriptions c on c.organisation_id = ${tx.organisation} and c.customer_subscription_id = s.id
         cross join lateral (values ('customer', s.customer_id), ('card', s.card_id),
                             ('checkout_session', c.checkout_session_id)) as r(relation, id)
         where s.organisation_id = ${tx.organisation} and s.id = ${id}
        union all
        (select 'mandate', m.id from mandates m where m.organisation_id = ${tx.organisation} and m.subscription_id = ${id}
          order by m.id desc limit ${RELATED_MAX})`,
      origin: (tx, id) => tx.sql<Origin>`
        select s.id, s.created_at as "madeAt", c.checkout_session_id as "from", 'payer' as by
          from customer_subscriptions s
          join checkout_subscriptions c on c.organisation_id = ${tx.organisation} and c.customer_subscription_id = s.id
         where s.organisation_id = ${tx.organisation} and s.id = ${id}`,
    },
  ],
  held: {
    subscriptions: (tx, customer) =>
      part`from customer_subscriptions t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
    "subscription-bills": (tx, customer) =>
      part`from customer_subscriptions s join customer_subscription_bills t on t.organisation_id = ${tx.organisation}
          and t.customer_subscription_id = s.id where s.organisation_id = ${tx.organisation} and s.customer_id = ${customer}`,
  },
  tables: {
    customer_entitlements: {
      plain: "customer_id entitlements",
    },
    customer_subscription_bills: {
      plain: "id customer_subscription_id kind invoice_id",
      columns: {
        lines: keptByTaxLaw(),
      },
    },
    customer_subscription_credits: {
      plain: "id customer_subscription_id credit_id cause bill_id",
    },
    customer_subscription_movements: {
      plain: "id customer_subscription_id kind currency",
    },
    customer_subscription_moves: {
      plain: "id customer_subscription_id",
    },
    customer_subscriptions: {
      plain: "id status customer_id plan_id plan_version_id collection_method source pending_plan_id card_id",
      columns: {
        metadata: erased("'{}'"),
        state: ABOUT_THE_MATTER,
        external_reference: MERCHANTS_REFERENCE,
        cancel_reason: erased(),
      },
      rows: "id = any (subjects)",
      counted: "subscriptions",
      subjects: "customer_id",
    },
  },
});
