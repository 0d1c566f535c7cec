/** One page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Whether there is more in the direction that is read. */
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The first page, to be awaited, and the way to all of them: `for await (const invoice of tefo.invoices.list())`. */
export interface List<Item> extends Promise<Page<Item>>, AsyncIterable<Item> {
  /** Page by page, the first one included. */
  pages(): AsyncIterable<Page<Item>>;
}

/** Where a list is read from, and in which direction. */
interface Cursors {
  readonly startingAfter?: string | undefined;
  readonly endingBefore?: string | undefined;
}

/** A list whose pages `read` gets. The first is asked for at once. */
export function listOf<Item, Query extends Cursors>(
  query: Query,
  read: (query: Query) => Promise<Page<Item>>,
): List<Item> {
  const first = read(query);
  const cursor = query.endingBefore === undefined ? "startingAfter" : "endingBefore";
  async function* pages(): AsyncGenerator<Page<Item>> {
    let page = await first;
    yield page;
    while (page.hasMore && page.nextCursor !== null) {
      page = await read({ ...query, [cursor]: page.nextCursor });
      yield page;
    }
  }
  async function* items(): AsyncGenerator<Item> {
    for await (const page of pages()) yield* page.data;
  }
  return Object.assign(first, { pages, [Symbol.asyncIterator]: items });
}
