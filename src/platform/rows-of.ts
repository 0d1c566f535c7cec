import { Part } from "./database.ts";

/** Columns by their names: the PostgreSQL type, and the value in each row. */
export type RowColumns<Row> = Readonly<Record<string, readonly [type: string, value: (row: Row) => unknown]>>;

/**
 * One or more rows as `n` of a statement that writes them all: `insert … select ${tx.organisation}, n.* from ${rowsOf(links, COLUMNS)}`. Many rows
 * are one array for each column; a single row is plain values, since arrays of one element cost PostgreSQL several times as much.
 */
export function rowsOf<Row>(rows: readonly Row[], columns: RowColumns<Row>): Part {
  const names = Object.keys(columns).join(", ");
  const types = Object.values(columns).map(([type]) => type);
  const [only] = rows;
  if (rows.length === 1 && only !== undefined)
    return partOf(
      "(values (",
      types,
      `)) as n(${names})`,
      Object.values(columns).map(([, value]) => value(only)),
    );
  const arrays = types.map((type) => `${type}[]`);
  return partOf(
    "unnest(",
    arrays,
    `) as n(${names})`,
    Object.values(columns).map(([, value]) => rows.map(value)),
  );
}

/** The values, each cast to its type, with commas between. */
function partOf(begin: string, types: readonly string[], end: string, values: unknown[]): Part {
  const between = types.map((type, place) => `::${type}${place === types.length - 1 ? end : ", "}`);
  return new Part([begin, ...between], values);
}
