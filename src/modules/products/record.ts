// Writes nothing. Reads: products.

import { type NameRow, record } from "../../domain/records.ts";

/** How products are named and erased. */
export const PRODUCT_RECORD = record({
  kinds: [
    {
      prefix: "prod",
      noun: "product",
      permission: "products:read",
      path: "/products",
      names: (tx, ids) => tx.sql<NameRow>`
        select id, name, id as target from products where organisation_id = ${tx.organisation} and id = any (${ids})`,
    },
  ],
  tables: {
    products: {
      plain: "id name description currency recurring_frequency",
    },
  },
});
