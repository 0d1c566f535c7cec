import { ApiError } from "../../kernel/errors.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { CsvRow } from "../csv.ts";
import { readAmount } from "./amounts.ts";
import { firstRows, layoutOf } from "./csv-statement.ts";
import { formatOf, isSomeDate } from "./dates.ts";
import { askedOf, readUntil, type Warning } from "./fault.ts";
import { type Layout, mappingOfLayout, placeName } from "./layout.ts";
import type { ColumnMapping } from "./mapping.ts";
import { formatOfFile, furthest, type ReadStatement, readingsOf, readStatement } from "./read-statement.ts";
import type { RowCounts, StatementLine } from "./statement.ts";

/** How a statement would be read, before it is imported. */
export interface StatementPreview {
  readonly format: ReadStatement["format"];
  readonly bank: string | null;
  /**
   * The names of a CSV file's columns as a mapping writes them: its headings, else the numbers of the columns from 1;
   * empty for other formats.
   */
  readonly columns: readonly string[];
  /** The first rows below the headings, cell by cell; empty for other formats. */
  readonly rows: readonly (readonly string[])[];
  /** What each column is read as, or would be by its cells; null for other formats. */
  readonly mapping: ColumnMapping | null;
  /** Why the file cannot be imported as it is, for people; null when it can. */
  readonly problem: string | null;
  /** The field of the mapping that would solve the problem; null when there is none. */
  readonly question: string | null;
  /** How many rows the file has, and what became of each; null while there is a problem. */
  readonly rowCounts: RowCounts | null;
  /** What staff should look at before they import it. */
  readonly warnings: readonly Warning[];
  readonly currency: string | null;
  /** The line up to which the rows were read; 0 unless a row is the problem. */
  readonly until: number;
  /** Of all lines; zero while there is a problem. */
  readonly count: number;
  readonly first: CalendarDay | null;
  readonly last: CalendarDay | null;
  /** The first lines as they are read. */
  readonly lines: readonly StatementLine[];
}

const ROWS_SHOWN = 10;
/** Rows that are looked at for columns: names and numbers of the account may stand before the headings. */
const ROWS_SEEN = 60;
const UNREAD = {
  bank: null,
  until: 0,
  question: null,
  rowCounts: null,
  warnings: [],
  currency: null,
  count: 0,
  first: null,
  last: null,
  lines: [],
} as const;

/**
 * Reads a statement as an import with this mapping would, and answers how its columns are understood. A CSV file that
 * cannot be imported yet is answered with its columns, what they seem to hold, and the problem. Throws 400 for a file
 * that no mapping would make a statement.
 */
export async function previewStatement(bytes: Uint8Array, mapping: ColumnMapping | null): Promise<StatementPreview> {
  if (formatOfFile(bytes) !== "csv") {
    const none = { ...UNREAD, columns: [], rows: [], mapping: null, problem: null };
    try {
      return { ...none, ...(await beginningOfLines(await readStatement(bytes, mapping))) };
    } catch (error) {
      const refused = refusal(error);
      const question = askedOf(refused);
      if (question === null) throw error;
      const format = formatOfFile(bytes);
      return { ...none, format, problem: refused.message, question, until: readUntil(refused) };
    }
  }
  const rows = await firstRows(bytes, ROWS_SEEN);
  try {
    const { layout, from } = await layoutOf(bytes, mapping);
    const shown = shownRows(rows, layout.headings, from);
    const understood = { ...mappingOfLayout(layout), ...mapping };
    try {
      const statement = await readStatement(bytes, mapping);
      const dateFormat = understood.dateFormat ?? formatOf[statement.order];
      const found = await beginningOfLines(statement);
      const read = { ...understood, dateFormat };
      return { ...shown, ...found, mapping: read, problem: null, question: null, until: 0 };
    } catch (error) {
      const refused = refusal(error);
      const [problem, until, question] = [refused.message, readUntil(refused), askedOf(refused)];
      return { ...UNREAD, ...shown, until, question, bank: layout.bank, format: "csv", mapping: understood, problem };
    }
  } catch (error) {
    const refused = refusal(error);
    const guessed = guessedColumns(rows);
    if (!guessed) throw error;
    return { ...UNREAD, ...guessed, format: "csv", problem: refused.message, question: askedOf(refused) };
  }
}

/** A refusal; anything else is thrown on. */
function refusal(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/**
 * As `previewStatement`, with the first mapping of `readingsOf` with which the file can be imported; if there is none,
 * with the one that read the most rows.
 */
export async function previewAsKept(bytes: Uint8Array, kept: ColumnMapping): Promise<StatementPreview> {
  if (formatOfFile(bytes) !== "csv") return previewStatement(bytes, null);
  const seen: StatementPreview[] = [];
  for (const mapping of readingsOf(kept)) {
    const shown = await previewStatement(bytes, mapping);
    if (shown.problem === null) return shown;
    seen.push(shown);
  }
  return furthest(seen);
}

async function beginningOfLines(statement: ReadStatement) {
  const lines: StatementLine[] = [];
  for await (const line of statement.lines()) {
    lines.push(line);
    if (lines.length === ROWS_SHOWN) break;
  }
  const { format, bank, currency, count, rows: rowCounts, warnings, first, last } = statement;
  return { format, bank, currency, count, rowCounts, warnings, first, last, lines };
}

const shownRows = (rows: readonly CsvRow[], columns: Layout["headings"], from: number) => ({
  columns,
  rows: rows
    .filter(({ line }) => line >= from)
    .slice(0, ROWS_SHOWN)
    .map(({ cells }) => cells),
});

/** The columns of a file without known headings, guessed from the cells of its first rows; null when no column holds dates. */
function guessedColumns(rows: readonly CsvRow[]): Pick<StatementPreview, "columns" | "rows" | "mapping"> | null {
  const dated = rows.findIndex(({ cells }) => cells.some(isSomeDate));
  const first = rows[dated];
  if (!first) return null;
  const date = first.cells.findIndex(isSomeDate);
  const above = rows[dated - 1]?.cells;
  const headed = above?.[date] !== undefined && above[date] !== "" && above.length >= first.cells.length;
  const columns = headed
    ? above.map((name, place) => name || placeName(place))
    : first.cells.map((_, n) => placeName(n));
  const below = rows.slice(dated);
  const cellsOf = (place: number) => below.map(({ cells }) => cells[place] ?? "").filter((cell) => cell !== "");
  const others = columns.flatMap((name, place) => (place === date ? [] : [{ name, cells: cellsOf(place) }]));
  const amounts = others.filter(({ name, cells }) => isMoney(cells) && !/balan|saldo/i.test(name));
  const texts = others.filter(
    ({ cells }) => cells.length > 0 && cells.every((cell) => typeof readAmount(cell) === "object"),
  );
  const width = ({ cells }: { cells: readonly string[] }) => cells.join("").length;
  const description = texts.toSorted((one, other) => width(other) - width(one))[0];
  const mapping = { date: columns[date], description: description?.name, amount: amounts[0]?.name };
  return { ...shownRows(rows, columns, first.line), mapping };
}

/** Numbers of accounts and of lines are whole; some amount of a statement has cents or a sign. */
const isMoney = (cells: readonly string[]): boolean =>
  cells.some((cell) => /[.,]\d{2}\b|^\(|-/.test(cell)) && cells.every((cell) => typeof readAmount(cell) !== "object");
