import type { Finder, Hit } from "../../domain/records.ts";
import { toRand } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { searchCustomers } from "../../modules/customers/record.ts";
import type { Permission } from "../../modules/members/rules.ts";
import type { Tx } from "../../platform/database.ts";
import { searchFor } from "./named-by.ts";
import type { RecordKind, RecordKinds } from "./record-kind.ts";

/** The kinds that are shown first, in this order; other kinds follow in the order of the catalogue. */
const FIRST = [
  "customer",
  "invoice",
  "quote",
  "credit_note",
  "transaction",
  "refund",
  "payment_link",
  "eft_order",
  "mandate",
  "customer_subscription",
  "subscription",
];

/** Whether the caller may read what a permission is about. */
export type MayRead = (permission: Permission) => boolean;

/** A kind of record that the search finds. */
type Searched = RecordKind & { readonly noun: string; readonly search: Finder };

/** The kinds of records that a search finds, in the order in which they are shown. */
export function searchedKinds(kinds: RecordKinds): readonly Searched[] {
  const place = ({ noun }: Searched) => (FIRST.includes(noun) ? FIRST.indexOf(noun) : FIRST.length);
  return [...kinds.values()].filter(isSearched).toSorted((one, other) => place(one) - place(other));
}

const isSearched = (kind: RecordKind): kind is Searched => kind.noun !== undefined && kind.search !== undefined;

/**
 * Searches all kinds of records that the caller may read (interface 14.2); at most `limit` of each, newest first. Kinds
 * without a record are left out.
 */
export async function searchRecords(tx: Tx, kinds: RecordKinds, mayRead: MayRead, q: string, limit: number) {
  const search = await searchFor(tx, q);
  if (search === null) return { q, groups: [] };
  const readsCustomers = mayRead("customers:read");
  const customers = readsCustomers ? await searchCustomers(tx, search, limit + 1) : [];
  const named = { ...search, customers: customers.slice(0, limit).map(({ id }) => id) };
  const found = await Promise.all(
    searchedKinds(kinds).map(async (kind) => {
      if (kind.noun === "customer") return { kind, hits: customers };
      return { kind, hits: mayRead(kind.permission) ? await kind.search(tx, named, limit + 1) : [] };
    }),
  );
  const groups = found
    .filter(({ hits }) => hits.length > 0)
    .map(({ kind, hits }) => ({
      kind: kind.noun,
      hasMore: hits.length > limit,
      results: hits.slice(0, limit).map((hit) => hitView(hit, pathOf(kind, hit))),
    }));
  return { q, groups };
}

/** A payment is shown by its reference, which is its title. */
const pathOf = ({ noun, path }: Searched, { id, title }: Hit): string =>
  `${path}/${encodeURIComponent(noun === "transaction" ? title : id)}`;

/** A found record as the API shows it; `path` is its path below `/dashboard/api`. */
const hitView = (hit: Hit, path: string) => ({
  id: hit.id,
  title: hit.title,
  detail: hit.detail,
  status: hit.status,
  amount: hit.amount === null ? null : toRand(hit.amount),
  currency: hit.currency,
  date: hit.at instanceof Date ? calendarDay(hit.at) : hit.at,
  path,
});
