import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
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
  ? Exclude<keyof NonNullable<Query>, "limit" | "startingAfter" | "q"> & string
  : never;

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
