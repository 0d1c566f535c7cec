import { z } from "zod";
import type { Order } from "../domain/lists.ts";
import type { SortColumns } from "../domain/ordered-lists.ts";
import { invalidField } from "../kernel/errors.ts";
import { findByIdOrReference } from "../modules/payments/store/payments.ts";
import type { Tx } from "../platform/database.ts";
import { filter, limitOrAll } from "../platform/schema.ts";
import type { Reply } from "./endpoint.ts";
import { orderedCursor } from "./sorted.ts";

/** Schema of a list's reply (interface 4.1). */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item),
    hasMore: z.boolean().describe("Whether there are more records in the direction that was read."),
    nextCursor: z
      .string()
      .nullable()
      .describe("What `startingAfter` takes for the next page, or `endingBefore` for the one before; null at the end."),
  });

/** The query of a page. */
interface PageAsked {
  readonly limit: number;
  readonly startingAfter?: string | undefined;
  readonly endingBefore?: string | undefined;
  readonly order?: Order | undefined;
}

/** A page's place in its list. */
interface Paging {
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The place of a list that has one page. */
export const ONLY_PAGE: Paging = { hasMore: false, nextCursor: null };

/** The query of a list that is short: it is answered whole where no limit is given. */
export const shortQuery = () =>
  z.object({
    limit: limitOrAll().describe(
      "How many, 1 to 100; all of them unless given. What is out of range is clamped, and nonsense means 20.",
    ),
    startingAfter: filter(),
    endingBefore: filter(),
  });

/** A page of a short list, whose items are named by `key`. Throws 400 for a cursor that names none of them. */
export function pageOfShort<Item>(
  { limit: most = Number.POSITIVE_INFINITY, startingAfter, endingBefore }: z.output<ReturnType<typeof shortQuery>>,
  items: readonly Item[],
  key: (item: Item) => string,
): Paging & { items: readonly Item[] } {
  refuseBoth({ startingAfter, endingBefore });
  const placeOf = (name: string, cursor: string): number => {
    const place = items.findIndex((item) => key(item) === cursor);
    if (place < 0) throw noCursor(name);
    return place;
  };
  const isBack = Boolean(endingBefore);
  const from = startingAfter ? placeOf("startingAfter", startingAfter) + 1 : 0;
  const to = endingBefore ? placeOf("endingBefore", endingBefore) : items.length;
  const shown = isBack ? items.slice(Math.max(0, to - most), to) : items.slice(from, from + most);
  const hasMore = isBack ? to > shown.length : from + shown.length < to;
  const last = isBack ? shown[0] : shown.at(-1);
  return { items: shown, hasMore, nextCursor: hasMore && last ? key(last) : null };
}

/**
 * Keyset paging: reads one record more than the page has, to know whether there are more; the last id that was read is the
 * cursor (decisions.md#lists-by-id), with the value of the column by which the list is sorted. `fetch` reads a page that ends before a
 * record from its end.
 */
export async function page<Item extends { id: string }, Query extends PageAsked>(
  query: Query,
  fetch: (query: Query) => Promise<Item[]>,
  sorts: SortColumns<Item> = {},
): Promise<Paging & { items: Item[] }> {
  const { limit: most, endingBefore, order } = query;
  refuseBoth(query);
  const found = await fetch({ ...query, limit: most + 1 });
  const items = found.slice(0, most);
  const hasMore = found.length > most;
  const last = items.at(-1);
  const nextCursor = hasMore && last ? (order ? orderedCursor(order, sorts, last) : last.id) : null;
  return { items: endingBefore === undefined ? items : items.reverse(), hasMore, nextCursor };
}

function refuseBoth({ startingAfter, endingBefore }: Omit<PageAsked, "limit">): void {
  if (startingAfter && endingBefore)
    throw invalidField(["endingBefore"], "Give startingAfter or endingBefore, not both.");
}

const noCursor = (name: string) =>
  invalidField([name], `${name} must be the nextCursor of this list, or an id from it.`);

/** The body of a list's reply. */
export const listBody = (data: unknown[], { hasMore, nextCursor }: Paging) => ({ data, hasMore, nextCursor });

/** The reply to a list whose records are shown one by one, without further reads. */
export async function listed<Item extends { id: string }, Query extends PageAsked>(
  { query }: { readonly query: Query },
  fetch: (query: Query) => Promise<Item[]>,
  view: (item: Item) => unknown,
): Promise<Reply> {
  const { items, ...paging } = await page(query, fetch);
  return { status: 200, body: listBody(items.map(view), paging) };
}

/** The query of a list of payments, whose cursors may be references too. Throws 400 for a reference of no payment. */
export async function withPaymentCursor<Query extends PageAsked>(tx: Tx, query: Query): Promise<Query> {
  const [startingAfter, endingBefore] = [
    await paymentCursor(tx, "startingAfter", query.startingAfter),
    await paymentCursor(tx, "endingBefore", query.endingBefore),
  ];
  return { ...query, startingAfter, endingBefore };
}

async function paymentCursor(tx: Tx, name: string, cursor: string | undefined): Promise<string | undefined> {
  if (cursor === undefined || cursor.startsWith("txn_")) return cursor;
  const payment = await findByIdOrReference(tx, cursor);
  if (!payment) throw noCursor(name);
  return payment.id;
}
