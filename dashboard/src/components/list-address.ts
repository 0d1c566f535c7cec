import { useLocation, useNavigate, useRouter } from "@tanstack/react-router";

/** The part of the address after `?`, as names and values. */
export type Search = Readonly<Record<string, string>>;

/** Names in a list's address that are not filters of the API. */
const AFTER = "after";
const COLUMNS = "columns";
const SORT = "sort";

/** The parts of a list's address, and the functions to change it. */
export interface ListAddress {
  /** Query for the API: search, filters, order and the start of the page. */
  readonly query: Search;
  /** Filters and search only, for the export. */
  readonly filters: Search;
  readonly columns: readonly string[] | null;
  /** The column by which the list is sorted, with a dash before it from the highest value down; null: newest first. */
  readonly sort: string | null;
  /** Whether this is a later page. */
  readonly later: boolean;
  /** Sets or, with an empty text, removes filters; begins at the first page. */
  filter(changes: Search): void;
  showColumns(names: readonly string[]): void;
  /** Sorts, and begins at the first page. */
  sortBy(sort: string | null): void;
  next(cursor: string): void;
  previous(): void;
  clear(): void;
}

/** Reads and changes the address of the present list. The back button undoes each page, but not each letter of a search. */
export function useListAddress(): ListAddress {
  const search = useLocation().search as Search;
  const navigate = useNavigate();
  const router = useRouter();
  const { [AFTER]: after, [COLUMNS]: columns, [SORT]: sort, organisation: _organisation, ...filters } = search;
  const go = (next: Search, replace: boolean) => {
    const kept = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ""));
    void navigate({ to: ".", search: kept, replace, resetScroll: !replace } as never);
  };
  const looks = { ...(columns ? { [COLUMNS]: columns } : {}), ...(sort ? { [SORT]: sort } : {}) };
  return {
    query: { ...filters, ...(sort ? { [SORT]: sort } : {}), ...(after ? { startingAfter: after } : {}) },
    filters,
    columns: columns ? columns.split(",") : null,
    sort: sort ?? null,
    later: after !== undefined,
    filter: (changes) => go({ ...filters, ...looks, ...changes }, true),
    showColumns: (names) => go({ ...search, [COLUMNS]: names.join(",") }, true),
    sortBy: (wanted) => go({ ...filters, ...looks, [SORT]: wanted ?? "" }, true),
    next: (cursor) => go({ ...search, [AFTER]: cursor }, false),
    previous: () => {
      if (router.history.canGoBack()) router.history.back();
      else go({ ...filters, ...looks }, false);
    },
    clear: () => go(looks, false),
  };
}
