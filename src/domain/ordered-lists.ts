import { assert } from "../kernel/assert.ts";
import { type Part, part, type Tx, when } from "../platform/database.ts";
import { NEAREST, pageOfFound } from "../platform/found.ts";
import type { Order, PageQuery } from "./lists.ts";

/** A column by which a list can be sorted. It has an index that ends with the id. */
export interface SortColumn<Item> {
  readonly column: Part;
  /** What its values are, as cursors have them: days, or `infinity` for none; or cents. */
  readonly values: "days" | "cents";
  valueOf(item: Item): string;
}

/** The columns by which a list can be sorted. */
export type SortColumns<Item> = Readonly<Record<string, SortColumn<Item>>>;

/** A list that can be sorted. */
interface OrderedList {
  /** The name by which the conditions know the records. */
  readonly name: Part;
  /** All records: `from invoices i where …`. */
  readonly records: Part;
  readonly id: Part;
  readonly sorts: SortColumns<never>;
  /** The conditions of the list's filters and its search. */
  readonly wanted: Part;
}

/**
 * The ids of a page of a list in an order by a column. The column's index is read first, as far as a page's records are among the
 * first ones; rare records are found by their own indexes, and then sorted (decisions.md#lists-by-columns).
 */
export function pageInOrder<Id extends string>(
  tx: Tx,
  query: PageQuery & { readonly order: Order },
  { name, records, id, sorts, wanted }: OrderedList,
): Promise<Id[]> {
  const column = sorts[query.order.column]?.column;
  assert(column, "a list is sorted by one of its columns");
  const beyond = placeOf(query, column, id);
  return pageOfFound(
    query.limit,
    () => tx.sql<{ id: Id }>`
      select ${id} as id
        from (select ${name}.* ${records} ${beyond} ${inOrder(query, column, id)} limit ${NEAREST}) ${name}
       where true ${wanted} ${inOrder(query, column, id)} limit ${query.limit}`,
    () => tx.sql<{ id: Id }>`
      with found as materialized (select ${id} as id, ${column} as value ${records} ${beyond} ${wanted})
      select id from found ${inOrder(query, part`value`, part`id`)} limit ${query.limit}`,
  );
}

/** Whether a page is read upwards: one that ends before a record is read from its end. */
const isUpwards = ({ order, endingBefore }: PageQuery): boolean =>
  (order?.descending === true) === (endingBefore !== undefined);

/** The condition of a page: after or before the record with the order's value and this id. */
function placeOf(query: PageQuery & { readonly order: Order }, column: Part, id: Part): Part {
  return when(query.endingBefore ?? query.startingAfter, (beyond) =>
    isUpwards(query)
      ? part`and (${column}, ${id}) > (${query.order.value ?? ""}, ${beyond})`
      : part`and (${column}, ${id}) < (${query.order.value ?? ""}, ${beyond})`,
  );
}

const inOrder = (query: PageQuery, column: Part, id: Part): Part =>
  isUpwards(query) ? part`order by ${column}, ${id}` : part`order by ${column} desc, ${id} desc`;

/** The records with these ids, in the order of the ids. */
export function inOrderOf<Item extends { readonly id: string }>(
  ids: readonly string[],
  items: readonly Item[],
): Item[] {
  const byId = new Map(items.map((item) => [item.id, item]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}
