// Writes nothing. Reads: checkout_payments, checkout_sessions, checkout_subscriptions, products.

import { erased } from "../../domain/erasure.ts";
import { joinPackage, joinPayment, joinPlan } from "../../domain/joins.ts";
import { type NameRow, type RelatedRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";
import { findCheckoutPayment } from "./store.ts";

/** How checkout sessions are named, related, handed over and erased. */
export const CHECKOUT_SESSION_RECORD = record({
  kinds: [
    {
      prefix: "chk",
      noun: "checkout_session",
      permission: "checkout_sessions:read",
      path: "/checkout-sessions",
      names: (tx, ids) => tx.sql<NameRow>`
        select s.id, coalesce(d.name, nullif(concat_ws(', ', k.name, p.name), '')) as name, s.id as target
          from checkout_sessions s
          left ${joinPackage(tx, part`s.package_id`)}
          left ${joinPlan(tx, part`s.plan_id`)}
          left join products d on d.organisation_id = ${tx.organisation} and d.id = s.product_id
         where s.organisation_id = ${tx.organisation} and s.id = any (${ids})`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select r.* from checkout_sessions s
          left ${joinPayment(tx, part`s.transaction_id`)}
          left join checkout_payments p on p.organisation_id = ${tx.organisation} and p.transaction_id = s.transaction_id
         cross join lateral (values ('customer', s.customer_id), ('transaction', t.reference),
           ('invoice', t.invoice_id), ('coupon', p.coupon_id),
           ('product', s.product_id), ('package', s.package_id),
           (case when s.subscription_id like 'csub\\_%' then 'customer_subscription' else 'subscription' end,
            s.subscription_id)) as r(relation, id)
         where s.organisation_id = ${tx.organisation} and s.id = ${id}
        union all
        select 'customer_subscription', c.customer_subscription_id from checkout_subscriptions c
         where c.organisation_id = ${tx.organisation} and c.checkout_session_id = ${id}`,
      ofPayment: async (tx, payment) => (await findCheckoutPayment(tx, payment))?.sessionId ?? null,
    },
  ],
  held: {
    "checkout-sessions": (tx, customer) =>
      part`from checkout_sessions t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    checkout_payments: {
      plain: "transaction_id checkout_session_id coupon_id coupon_subject recurring_frequency",
    },
    checkout_sessions: {
      plain:
        "id status source package_id plan_id currency product_id customer_id subscription_id coupon_code return_url transaction_id",
      columns: {
        prefill: erased("'{}'"),
        entered: erased("'{}'"),
        metadata: erased("'{}'"),
      },
      rows: "id = any (subjects)",
      counted: "checkoutSessions",
      subjects: "customer_id",
    },
    checkout_subscriptions: {
      plain: "customer_subscription_id checkout_session_id",
    },
  },
});
