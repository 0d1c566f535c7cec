import type { Order } from "../domain/lists.ts";
import type { SortColumn, SortColumns } from "../domain/ordered-lists.ts";
import { invalidField } from "../kernel/errors.ts";
import { parseCalendarDay } from "../kernel/time.ts";

/** A parameter of a query; the last one counts where it is repeated. */
function last(value: unknown): string {
  const one: unknown = Array.isArray(value) ? value.at(-1) : value;
  return typeof one === "string" ? one.trim() : "";
}

const isValue = (text: string, { values }: SortColumn<never>): boolean =>
  values === "cents" ? /^-?\d{1,15}$/.test(text) : text === "infinity" || parseCalendarDay(text) !== null;

/** What `sort` of a list can be: a column, or with a dash before it the same from the highest down. */
export const sortNames = (sorts: SortColumns<never>): string[] =>
  Object.keys(sorts).flatMap((column) => [column, `-${column}`]);

/**
 * The order that a query of a list asks for with `sort` (interface 14.3), and the rest of the query, in which the cursors are ids.
 * Throws 400 for a column by which the list cannot be sorted, and for a cursor of another order.
 */
export function partOrder(
  sorts: SortColumns<never>,
  asked: object,
): { readonly asked: object; readonly order?: Order } {
  const { sort, ...query } = asked as Readonly<Record<string, unknown>>;
  const name = last(sort);
  if (name === "") return { asked: query };
  const [, dash, column = ""] = /^(-?)(.*)$/s.exec(name) ?? [];
  const sorted = Object.hasOwn(sorts, column) ? sorts[column] : undefined;
  if (!sorted) throw invalidField(["sort"], `must be one of ${sortNames(sorts).join(", ")}`);
  const [cursor] = ["startingAfter", "endingBefore"].filter((one) => last(query[one]) !== "");
  const order = { column, descending: dash === "-" };
  if (cursor === undefined) return { asked: query, order };
  const [of, value = "", id = "", ...more] = last(query[cursor]).split(":");
  if (of !== name || !isValue(value, sorted) || id === "" || more.length > 0)
    throw invalidField([cursor], `${cursor} must be the nextCursor of this list in the order ${name}.`);
  return { asked: { ...query, [cursor]: id }, order: { ...order, value } };
}

/** The cursor of a record in an order. */
export const orderedCursor = <Item extends { readonly id: string }>(
  { column, descending }: Order,
  sorts: SortColumns<Item>,
  item: Item,
): string => `${descending ? "-" : ""}${column}:${sorts[column]?.valueOf(item) ?? ""}:${item.id}`;
