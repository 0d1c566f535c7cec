import { Part } from "./database.ts";

/** Columns by their names: the PostgreSQL type, and the value in each row. */
export type RowColumns<Row> = Readonly<Record<string, readonly [type: string, value: (row: Row) => unknown]>>;

/** The text around the values, for one row and for many. */
interface Texts {
  readonly one: readonly string[];
  readonly many: readonly string[];
}

const known = new WeakMap<object, Texts>();

/**
 * One or more rows as `n` of a statement that writes them all: `insert … select ${tx.organisation}, n.* from
 * ${rowsOf(links, COLUMNS)}`. Many rows are one array for each column; a single row is plain values, since arrays of
 * one element cost PostgreSQL several times as much. The columns are a constant of the module, whose text is made once.
 */
export function rowsOf<Row>(rows: readonly Row[], columns: RowColumns<Row>): Part {
  const texts = known.get(columns) ?? textsOf(columns);
  known.set(columns, texts);
  const values = Object.values(columns);
  const [only] = rows;
  return rows.length === 1 && only !== undefined
    ? new Part(
        texts.one,
        values.map(([, value]) => value(only)),
      )
    : new Part(
        texts.many,
        values.map(([, value]) => rows.map(value)),
      );
}

function textsOf(columns: RowColumns<never>): Texts {
  const names = Object.keys(columns).join(", ");
  const types = Object.values(columns).map(([type]) => type);
  const arrays = types.map((type) => `${type}[]`);
  return {
    one: castsOf("(values (", types, `)) as n(${names})`),
    many: castsOf("unnest(", arrays, `) as n(${names})`),
  };
}

/** The text around values that are cast to these types, with commas between. */
const castsOf = (begin: string, types: readonly string[], end: string): string[] => [
  begin,
  ...types.map((type, place) => `::${type}${place === types.length - 1 ? end : ", "}`),
];
