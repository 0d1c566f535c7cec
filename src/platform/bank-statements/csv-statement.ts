import { type CsvRow, csvRows } from "../csv.ts";
import { beginningOf } from "../encodings.ts";
import { rowReader } from "./csv-rows.ts";
import { isSomeDate, orderOf } from "./dates.ts";
import { type Fault, faulty } from "./fault.ts";
import { isNumbered, numberedRows } from "./fnb-numbered.ts";
import {
  isRowOf,
  type Layout,
  layoutOfHeadings,
  layoutOfRow,
  mappedLayout,
  namesPlaces,
  oneSided,
  placeName,
} from "./layout.ts";
import type { ColumnMapping } from "./mapping.ts";
import type { FoundLine, LeftOut } from "./statement.ts";

/** How many rows may stand before the headings: names and numbers of the account, balances. */
const PREAMBLE_ROWS = 40;

/** Where the rows of a CSV statement are, and what their columns hold. */
interface Place {
  readonly layout: Layout;
  /** The line on which its rows begin. */
  readonly from: number;
  /** The line of its headings, else `from`. */
  readonly headed: number;
}

/** The layout of a CSV statement, and where its rows begin. Throws 400 when the file has none. */
export async function layoutOf(bytes: Uint8Array, mapping: ColumnMapping | null): Promise<Place> {
  const order = mapping?.dateFormat === undefined ? null : orderOf(mapping.dateFormat);
  if (mapping?.dateFormat !== undefined && order === null)
    throw faulty([
      { at: null, column: null, what: `dateFormat ${mapping.dateFormat} is none: write it as DD/MM/YYYY` },
    ]);
  const { date, amount, debit, credit } = mapping ?? {};
  const named = [date, amount, debit, credit].some((name) => name !== undefined);
  const numbered = mapping !== null && namesPlaces(mapping);
  const seen: CsvRow[] = [];
  for await (const row of rowsOf(bytes)) {
    seen.push(row);
    if (numbered && isSomeDate(row.cells[Number(date) - 1] ?? ""))
      return {
        layout: mappedLayout(
          row.cells.map((_, place) => placeName(place)),
          mapping,
          order,
        ),
        from: row.line,
        headed: row.line,
      };
    if (!numbered && named && mapping && isRowOf(row.cells, mapping))
      return below(row, mappedLayout(row.cells, mapping, order));
    const bare = named ? null : layoutOfRow(row.cells);
    const begin = bare?.marked ? (seen[0]?.line ?? row.line) : row.line;
    if (bare) return { layout: bare, from: begin, headed: begin };
    const headed = named ? null : layoutOfHeadings(row.cells);
    const lacks = headed && oneSided(headed);
    if (lacks) throw faulty([{ ...lacks, at: row.line }]);
    if (headed) return below(row, mappedLayout(row.cells, mapping ?? {}, order));
    if (seen.length === PREAMBLE_ROWS) break;
  }
  const [first] = seen;
  if (!first) throw faulty([{ at: null, column: null, what: "The file is empty." }]);
  if (named && mapping) return below(first, mappedLayout(first.cells, mapping, order));
  const needs =
    "no row names the columns: it needs a date and an amount (or money in and money out); name yours with mapping";
  throw faulty([{ at: first.line, column: null, what: needs, asks: "date" }]);
}

/** The place of rows below a row of headings. */
const below = ({ line }: CsvRow, layout: Layout): Place => ({ layout, from: line + 1, headed: line });

/** The first rows of a CSV statement, whatever they hold. Throws 400 for a file that is not CSV. */
export async function firstRows(bytes: Uint8Array, count: number): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of rowsOf(bytes)) {
    rows.push(row);
    if (rows.length === count) break;
  }
  return rows;
}

function rowsOf(bytes: Uint8Array): AsyncGenerator<CsvRow> {
  const beginning = beginningOf(bytes);
  const rows = csvRows(bytes, separatorOf(beginning));
  return isNumbered(beginning) ? numberedRows(rows) : rows;
}

/** What separates the cells: the sign that most of the first lines have at least twice, in a file of two columns at least once. */
function separatorOf(beginning: string): string {
  const told = /^sep=([;,\t|])\s*$/im.exec(beginning.slice(0, 20))?.[1];
  if (told !== undefined) return told;
  const lines = beginning
    .split(/\r\n|\n|\r/)
    .slice(0, PREAMBLE_ROWS)
    .map((line) => line.replaceAll(/"[^"]*"/g, ""));
  const having = (sign: string, times: number) => lines.filter((line) => line.split(sign).length > times).length;
  const times = SEPARATORS.some((sign) => having(sign, 2) > 0) ? 2 : 1;
  return SEPARATORS.reduce((most, sign) => (having(sign, times) > having(most, times) ? sign : most));
}

const SEPARATORS = [";", "\t", ",", "|"];

/** Lines of a CSV statement, the rows that are none, and what cannot be read in it, in the order of the file. */
export async function* csvLines(
  bytes: Uint8Array,
  { layout, from, headed }: Place,
): AsyncGenerator<FoundLine | LeftOut | Fault> {
  const reader = rowReader(layout);
  for await (const row of rowsOf(bytes)) {
    if (row.line >= from) yield* reader.read(row);
    else if (row.line < headed) yield { at: row.line, became: "above", balance: null };
  }
  yield* reader.end();
}
