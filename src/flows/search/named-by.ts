import type { Named } from "../../domain/lists.ts";
import { searchCustomers } from "../../modules/customers/record.ts";
import { knownPrefixes } from "../../modules/document-numbers/store.ts";
import { isCounter, readSearch, type Search } from "../../modules/search/rules.ts";
import type { Tx } from "../../platform/database.ts";

/** The largest number of customers that a search text may match; when it matches more, the newest are used. */
const CUSTOMERS_MAX = 500;

/** A search text, prepared for comparison; null when no record can match it. */
export const searchFor = async (tx: Tx, q: string): Promise<Search | null> =>
  readSearch(q, isCounter(q) ? await knownPrefixes(tx) : []);

/**
 * The list's query with its search text, prepared for the store, and the customers that match. `named` is null for a
 * text that no record can match.
 */
export async function withNamed<Query extends { readonly q?: string | undefined }>(
  tx: Tx,
  query: Query,
): Promise<Query & { readonly named?: Named | null }> {
  if (!query.q) return query;
  const search = await searchFor(tx, query.q);
  if (search === null) return { ...query, named: null };
  const customers = await searchCustomers(tx, search, CUSTOMERS_MAX);
  return { ...query, named: { ...search, customers: customers.map(({ id }) => id) } };
}

/** Like `withNamed`, for the list of customers, whose own query finds them. */
export function withWords<Query extends { readonly q?: string | undefined }>(
  query: Query,
): Query & { readonly named?: Named | null } {
  if (!query.q) return query;
  const search = readSearch(query.q, []);
  return { ...query, named: search && { ...search, customers: [] } };
}
