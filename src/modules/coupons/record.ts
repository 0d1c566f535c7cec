// Writes nothing. Reads: coupon_redemptions, coupons.

import { OF_NOBODY } from "../../domain/erasure.ts";
import { type NameRow, RELATED_MAX, type RelatedRow, record } from "../../domain/records.ts";
import { part } from "../../platform/database.ts";

/** How coupons are named, related, handed over and erased. */
export const COUPON_RECORD = record({
  kinds: [
    {
      prefix: "cpn",
      noun: "coupon",
      permission: "coupons:read",
      path: "/coupons",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, code as name, id as target from coupons where organisation_id = ${tx.organisation} and id = any (${ids})`,
      related: (tx, id) => tx.sql<RelatedRow>`
        select distinct 'customer' as relation, r.customer_id as id from coupon_redemptions r
         where r.organisation_id = ${tx.organisation} and r.coupon_id = ${id} and r.released_at is null order by 2 desc
         limit ${RELATED_MAX}`,
    },
  ],
  held: {
    "coupon-redemptions": (tx, customer) =>
      part`from coupon_redemptions t where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}`,
  },
  tables: {
    coupon_redemptions: {
      plain: "coupon_id customer_id currency duration",
      columns: {
        subject: OF_NOBODY,
      },
    },
    coupons: {
      plain: "id code name currency duration plan_ids product_ids",
    },
  },
});
