import { readSearch } from "../../modules/search/rules.ts";
import { searchCustomers } from "../../modules/search/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Named } from "../../platform/schema.ts";

/** So many customers can be meant by what is typed; of more, the newest are. */
const CUSTOMERS_MAX = 500;

/** The list's query with what its `q` names: an amount, and customers. Stores compare their own words with `q` themselves. */
export async function withNamed<Query extends { readonly q?: string | undefined }>(
  tx: Tx,
  query: Query,
): Promise<Query & { readonly named?: Named }> {
  const search = query.q ? readSearch(query.q) : null;
  if (search === null) return query;
  const customers = await searchCustomers(tx, search, CUSTOMERS_MAX);
  return { ...query, named: { amount: search.amount, customers: customers.map(({ id }) => id) } };
}
