import { type Cents, cents, subtract, ZERO } from "../../kernel/money.ts";
import { type CsvRow, csvRows } from "../csv.ts";
import { beginningOf } from "../encodings.ts";
import { readAmount } from "./amounts.ts";
import { isSomeDate, orderOf } from "./dates.ts";
import {
  type ColumnMapping,
  isRowOf,
  type Layout,
  layoutOfHeadings,
  layoutOfRow,
  mappedLayout,
  namesPlaces,
  placeName,
} from "./layout.ts";
import { type Fault, type FoundLine, faulty, referenceOf, tidied } from "./statement.ts";

/** How many rows may stand before the headings: names and numbers of the account, balances. */
const PREAMBLE_ROWS = 40;

/** The layout of a CSV statement, and the line on which its rows begin. Throws 400 when the file has none. */
export async function layoutOf(
  bytes: Uint8Array,
  mapping: ColumnMapping | null,
): Promise<{ layout: Layout; from: number }> {
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
      };
    if (!numbered && named && mapping && isRowOf(row.cells, mapping))
      return { layout: mappedLayout(row.cells, mapping, order), from: row.line + 1 };
    const headed = named ? null : layoutOfHeadings(row.cells);
    if (headed) return { layout: { ...headed, order: order ?? headed.order }, from: row.line + 1 };
    const bare = named ? null : layoutOfRow(row.cells);
    if (bare) return { layout: bare, from: row.line };
    if (seen.length === PREAMBLE_ROWS) break;
  }
  const [first] = seen;
  if (!first) throw faulty([{ at: null, column: null, what: "The file is empty." }]);
  if (named && mapping) return { layout: mappedLayout(first.cells, mapping, order), from: first.line + 1 };
  const needs =
    "no row names the columns: it needs a date and an amount (or money in and money out); name yours with mapping";
  throw faulty([{ at: first.line, column: null, what: needs }]);
}

/** The first rows of a CSV statement, whatever they hold. Throws 400 for a file that is not CSV. */
export async function firstRows(bytes: Uint8Array, count: number): Promise<readonly CsvRow[]> {
  const rows: CsvRow[] = [];
  for await (const row of rowsOf(bytes)) {
    rows.push(row);
    if (rows.length === count) break;
  }
  return rows;
}

const rowsOf = (bytes: Uint8Array): AsyncGenerator<CsvRow> => csvRows(bytes, separatorOf(beginningOf(bytes)));

/** What separates the cells: the sign that most of the first lines have at least twice, in a file of two columns at least once. */
function separatorOf(beginning: string): string {
  const lines = beginning
    .split(/\r\n|\n|\r/)
    .slice(0, PREAMBLE_ROWS)
    .map((line) => line.replaceAll(/"[^"]*"/g, ""));
  const having = (sign: string, times: number) => lines.filter((line) => line.split(sign).length > times).length;
  const times = SEPARATORS.some((sign) => having(sign, 2) > 0) ? 2 : 1;
  return SEPARATORS.reduce((most, sign) => (having(sign, times) > having(most, times) ? sign : most));
}

const SEPARATORS = [";", "\t", ","];

/** Lines of a CSV statement, and what cannot be read in it, in the order of the file. */
export async function* csvLines(
  bytes: Uint8Array,
  { layout, from }: { readonly layout: Layout; readonly from: number },
): AsyncGenerator<FoundLine | Fault> {
  for await (const row of rowsOf(bytes)) if (row.line >= from && isMarked(row, layout)) yield* linesOf(row, layout);
}

/** Whether a row is marked as a line of the statement, or begins such a mark and is cut off. */
const isMarked = ({ cells: [first = ""] }: CsvRow, { marked }: Layout): boolean =>
  marked === null || (first !== "" && marked.startsWith(first));

function* linesOf({ line, cells }: CsvRow, layout: Layout): Generator<FoundLine | Fault> {
  const cell = (place: number | null) => (place === null ? "" : (cells[place] ?? ""));
  const heading = (place: number) => layout.headings[place] ?? `${place + 1}`;
  const money = [layout.amount, layout.debit, layout.credit, layout.fee];
  const date = cell(layout.date);
  const shape = misshapen(cells, layout);
  if (shape !== null) return yield { at: line, column: null, what: shape };
  // Totals and remarks below the lines have neither.
  if (date === "" && (money.every((place) => cell(place) === "") || /^totals?\b/i.test(cell(0)))) return;
  const read = amountsOf(cell, layout);
  if ("fault" in read) return yield { at: line, column: heading(read.place), what: `${read.cell} ${read.fault}` };
  const texts = new Set(layout.descriptions.map((place) => tidied(cell(place))).filter((text) => text !== ""));
  const description = tidied([...texts].join(" "));
  if (read.none && !layout.remarks && !isBalance(description))
    return yield {
      at: line,
      column: heading(money.find((place) => place !== null) ?? 0),
      what: "the amount is missing",
    };
  const common = {
    at: line,
    date: { column: heading(layout.date), cell: date },
    reference: referenceOf(cell(layout.reference)),
    currency: cell(layout.currency).toUpperCase() || null,
  };
  if (read.amount !== ZERO) yield { ...common, description, amount: read.amount };
  if (read.fee !== ZERO)
    yield {
      ...common,
      description: read.amount === ZERO ? description : tidied(`${description} (fee)`),
      amount: read.fee,
    };
}

/** Why a row does not have the columns of the headings; null when it does. */
function misshapen(cells: readonly string[], { headings }: Layout): string | null {
  const named = headings.findLastIndex((heading) => heading !== "") + 1;
  if (cells.length < named) return `has ${cells.length} of ${named} columns: the file may be cut off`;
  if (cells.slice(headings.length).every((cell) => cell === "") || isBare(headings)) return null;
  return `has more columns than the ${headings.length} that are named: a description with a separator in it belongs in quotation marks`;
}

/** Exports without headings have more columns than are used. */
const isBare = (headings: readonly string[]): boolean => headings[0] === "Type";

const isBalance = (description: string): boolean => /balance|brought forward|carried forward|saldo/i.test(description);

type Read = { readonly amount: Cents; readonly fee: Cents; readonly none: boolean };
type Unread = { readonly fault: string; readonly place: number; readonly cell: string };

function amountsOf(cell: (place: number | null) => string, { amount, debit, credit, fee }: Layout): Read | Unread {
  const read = { amount: ZERO, debit: ZERO, credit: ZERO, fee: ZERO };
  let none = true;
  for (const [name, place] of Object.entries({ amount, debit, credit, fee })) {
    const found = readAmount(cell(place));
    if (found === "none" || place === null) continue;
    if (typeof found === "object") return { fault: found.fault, place, cell: cell(place) };
    if (name === "credit" && found < 0)
      return { fault: "is below zero, in a column of money that came in", place, cell: cell(place) };
    none = false;
    read[name as keyof typeof read] = found;
  }
  if (read.debit !== ZERO && read.credit !== ZERO && debit !== null)
    return { fault: "and an amount that came in stand in one row", place: debit, cell: cell(debit) };
  const out = (size: Cents) => subtract(ZERO, cents(Math.abs(size)));
  const moved = amount === null ? cents(read.credit + out(read.debit)) : read.amount;
  return { amount: moved, fee: out(read.fee), none };
}
