import { mayDo, type Permission } from "../../modules/members/rules.ts";
import type { Role } from "../../modules/members/types.ts";
import { readSearch } from "../../modules/search/rules.ts";
import {
  searchCreditNotes,
  searchCustomerSubscriptions,
  searchCustomers,
  searchEftOrders,
  searchGatewaySubscriptions,
  searchInvoices,
  searchMandates,
  searchPaymentLinks,
  searchQuotes,
  searchRefunds,
  searchTransactions,
} from "../../modules/search/store.ts";
import { type Hit, SEARCHED_KINDS, type Search, type SearchedKind } from "../../modules/search/types.ts";
import { hitView } from "../../modules/search/view.ts";
import type { Tx } from "../../platform/database.ts";

/** Finds records of a kind: `customers` are the ids of the customers that were found. */
type Finder = (tx: Tx, search: Search, limit: number, customers: readonly string[]) => Promise<Hit[]>;

const FINDERS: Readonly<Record<Exclude<SearchedKind, "customer">, readonly [Permission, Finder]>> = {
  invoice: ["invoices:read", searchInvoices],
  quote: ["quotes:read", searchQuotes],
  credit_note: ["credit_notes:read", searchCreditNotes],
  transaction: ["transactions:read", searchTransactions],
  refund: ["transactions:read", searchRefunds],
  payment_link: ["payment_links:read", searchPaymentLinks],
  eft_order: ["eft_orders:read", searchEftOrders],
  mandate: ["mandates:read", searchMandates],
  customer_subscription: ["subscriptions:read", searchCustomerSubscriptions],
  subscription: ["subscriptions:read", searchGatewaySubscriptions],
};

/** Searches all kinds of records that the role may read (interface 14.2); at most `limit` of each, newest first. Kinds without a record are left out. */
export async function searchRecords(tx: Tx, role: Role, q: string, limit: number) {
  const search = readSearch(q);
  if (search === null) return { q, groups: [] };
  const readsCustomers = mayDo(role, "customers:read");
  const customers = readsCustomers ? await searchCustomers(tx, search, limit + 1) : [];
  const ids = customers.slice(0, limit).map(({ id }) => id);
  const found = await Promise.all(
    SEARCHED_KINDS.map(async (kind) => {
      if (kind === "customer") return { kind, hits: customers };
      const [permission, find] = FINDERS[kind];
      return { kind, hits: mayDo(role, permission) ? await find(tx, search, limit + 1, ids) : [] };
    }),
  );
  const groups = found
    .filter(({ hits }) => hits.length > 0)
    .map(({ kind, hits }) => ({
      kind,
      hasMore: hits.length > limit,
      results: hits.slice(0, limit).map((hit) => hitView(kind, hit)),
    }));
  return { q, groups };
}
