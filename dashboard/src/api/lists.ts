import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { getJson, type paths } from "./client.ts";

type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

/** Paths of lists. */
export type ListPath = { [P in keyof paths]: Answer<P> extends { data: unknown[] } ? P : never }[keyof paths];

/** A record of the list at this path. */
export type Item<P extends ListPath> = Answer<P> extends { data: (infer One)[] } ? One : never;

/** Names of the list's filters, beside paging and search. */
export type FilterName<P extends ListPath> = paths[P] extends { get: { parameters: { query?: infer Query } } }
  ? Exclude<keyof NonNullable<Query>, "limit" | "startingAfter" | "q" | "sort"> & string
  : never;

/** Paths of lists that are counted and summed. */
export type TotalledPath = { [P in ListPath]: `/totals${P}` extends keyof paths ? P : never }[ListPath];

/** Names of the columns by which the list can be sorted. */
export type SortName<P extends ListPath> = paths[P] extends { get: { parameters: { query?: { sort?: infer Sort } } } }
  ? Exclude<Sort, `-${string}` | undefined> & string
  : never;

/** How many records a list has with some filters, and their sums by currency and name. */
export interface Totals {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
  readonly currencies: readonly ({ readonly currency: string } & Readonly<Record<string, number | string>>)[];
}

/** A page of a list. */
export interface ListPage<T> {
  readonly data: readonly T[];
  readonly hasMore?: boolean;
  readonly nextCursor?: string | null;
}

/** Begins every key of the cache, so that a change can have all records of a kind read again: `["/invoices"]`. */
const keyOf = (path: string, query: Readonly<Record<string, string | undefined>>) => [
  `/${path.split("/")[1]}`,
  path,
  query,
];

/** Reads a page of a list; while another page loads, the earlier one stays. With `wanted: false` nothing is read. */
export function useList<P extends ListPath>(
  path: P,
  query: Readonly<Record<string, string | undefined>>,
  wanted = true,
) {
  return useQuery({
    queryKey: keyOf(path, query),
    queryFn: async () => (await getJson(path, query)) as ListPage<Item<P>>,
    placeholderData: keepPreviousData,
    enabled: wanted,
  });
}

const asksTotals = (path: ListPath, query: Readonly<Record<string, string>>) => ({
  queryKey: [...keyOf(path, query), "totals"],
  queryFn: async () => (await getJson(`/totals${path}`, query)) as Totals,
});

/** Reads what a list comes to. */
export const useTotals = (path: ListPath, query: Readonly<Record<string, string>>) => useQuery(asksTotals(path, query));

/** A pill says how many, up to this. */
const COUNTED_MAX = "1000";

/** Reads how many records a list has with each of some filters, no further than a thousand; nothing without a path. */
export const useCounts = (
  path: ListPath | null,
  queries: readonly Readonly<Record<string, string>>[],
  wanted: boolean,
): readonly (Totals | undefined)[] =>
  useQueries({
    queries: path
      ? queries.map((query) => ({ ...asksTotals(path, { ...query, countTo: COUNTED_MAX }), enabled: wanted }))
      : [],
    combine: (read) => read.map(({ data }) => data),
  });

/**
 * Reads a list page after page, all of which are shown together: `fetchNextPage` adds one while `hasNextPage`, `readAll` all that are
 * left.
 */
export function useGrowingList<P extends ListPath>(path: P, query: Readonly<Record<string, string | undefined>>) {
  const list = useInfiniteQuery({
    queryKey: [...keyOf(path, query), "growing"],
    queryFn: async ({ pageParam }) =>
      (await getJson(path, { ...query, startingAfter: pageParam ?? undefined })) as ListPage<Item<P>>,
    initialPageParam: null as string | null,
    getNextPageParam: ({ hasMore, nextCursor }) => (hasMore ? nextCursor : null),
  });
  const itemsOf = (data: typeof list.data): readonly Item<P>[] => data?.pages.flatMap((page) => page.data) ?? [];
  const readAll = async () => {
    let read: Pick<typeof list, "data" | "hasNextPage" | "isError"> = list;
    while (read.hasNextPage && !read.isError) read = await list.fetchNextPage();
    return itemsOf(read.data);
  };
  return { ...list, items: itemsOf(list.data), readAll };
}
