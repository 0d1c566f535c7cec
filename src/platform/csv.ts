import { pipeline, Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { CsvError, parse } from "csv-parse";
import { stringify } from "csv-stringify/sync";
import { invalid } from "../kernel/errors.ts";
import { type Cents, toDecimalText } from "../kernel/money.ts";
import { beginningOf, decodedText } from "./encodings.ts";

/** Text, written as it is, or cents, written as decimal text in major units; null is an empty cell. */
export type Cell = string | Cents | null;

/** First characters that a spreadsheet may read as a formula, including full-width forms and whitespace that it skips. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Rows as CSV by RFC 4180, each ended by CRLF. Text that a spreadsheet would read as a formula gets an apostrophe before it;
 * a negative amount stays a number.
 */
export const csvText = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(cellText)),
    { record_delimiter: "windows", quoted_match: /[\r\n]/ },
  );

const cellText = (cell: Cell): string | null =>
  typeof cell === "number" ? toDecimalText(cell) : cell !== null && FORMULA.test(cell) ? `'${cell}` : cell;

/** A row as it stands in a file. */
export interface CsvRow {
  /** Of the file on which the row begins, from 1. */
  readonly line: number;
  /** Trimmed; without the apostrophe that `csvText` puts before text that a spreadsheet would read as a formula. */
  readonly cells: readonly string[];
}

/** The longest row in characters; a longer one means that a quotation mark was not closed. */
const ROW_MAX = 100_000;
/** More columns than any export has. Cells without text count too, which `ROW_MAX` does not see. */
const CELLS_MAX = 500;
/** Lines of a file, those of cells and those without text included. */
const LINES_MAX = 400_000;

/**
 * The rows of a file, the header too, without empty ones, in any encoding of `decodedText`; cells parted by commas,
 * semicolons or tabs, whichever the first line has most, or `delimiter`. Formulas are text. Throws 400 for a file that
 * is not CSV, and for one that has more cells in a row or more lines than it may. Other work of the event loop runs in
 * between.
 */
export async function* csvRows(bytes: Uint8Array, delimiter?: string): AsyncGenerator<CsvRow> {
  const between = delimiter ?? delimiterOf(beginningOf(bytes));
  const parser = parse({
    delimiter: between,
    // Spaces may stand before a quotation mark; a tab that separates cells is none.
    ltrim: between !== "\t",
    relax_column_count: true,
    skip_empty_lines: true,
    // Files that were put together have several.
    record_delimiter: ["\r\n", "\n", "\r"],
    info: true,
    max_record_size: ROW_MAX,
  });
  // What ends one of the two ends the other, and the loop below throws it.
  const text = withMarkedQuotes(bounded(decodedText(bytes), between), between);
  pipeline(Readable.from(text), parser, () => {});
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      const cells = record.map((cell) => unquoted(cell.trim()).replaceAll(WITHIN, '"'));
      if (cells.some((cell) => cell !== "")) yield { line: info.lines - breaksIn(record), cells };
    }
  } catch (error) {
    if (error instanceof CsvError) throw invalid(`The file is not CSV: ${saidOf(error)}`);
    throw error;
  }
}

/** What is wrong with a file, for people. */
function saidOf({ code, lines }: CsvError): string {
  const where = typeof lines === "number" ? `on line ${lines} ` : "";
  if (code === "CSV_MAX_RECORD_SIZE")
    return (
      `${where}a row has more than ${ROW_MAX} characters. ` +
      `A text in it is too long, or a quotation mark (") opens it and no other one closes it.`
    );
  if (code === "CSV_QUOTE_NOT_CLOSED")
    return 'a quotation mark (") opens a text and no other one closes it. The file may be cut off: download it again.';
  if (code === "INVALID_OPENING_QUOTE" || code === "CSV_INVALID_CLOSING_QUOTE")
    return `${where}a quotation mark (") stands within a text. Write it twice, with quotation marks around the whole text.`;
  return `${where}it cannot be read. Download it again.`;
}

/** Stands for a quotation mark within a cell that none opens, such as `Paint 5" brush`; no text has this character. */
const WITHIN = "\uffff";

/**
 * The pieces with `WITHIN` for each quotation mark that is text: a cell is quoted only where a mark begins it, which
 * the parser, strict about marks, does not know.
 */
async function* withMarkedQuotes(pieces: AsyncIterable<string>, delimiter: string): AsyncGenerator<string> {
  /** Where in a cell the text is; after the mark that closes a quoted one, what follows is the parser's to judge. */
  let place: "before" | "plain" | "quoted" | "closed" = "before";
  for await (const piece of pieces) {
    const marks: number[] = [];
    for (let at = 0; at < piece.length; at++) {
      const sign = piece[at];
      if (sign === '"') {
        if (place === "plain") marks.push(at);
        else place = place === "quoted" ? "closed" : "quoted";
      } else if (place === "quoted") continue;
      else if (sign === delimiter || sign === "\n" || sign === "\r") place = "before";
      else if (place === "before" && (sign !== " " || delimiter === "\t")) place = "plain";
    }
    let from = 0;
    const parts = marks.map((mark) => {
      const part = piece.slice(from, mark);
      from = mark + 1;
      return part;
    });
    yield marks.length === 0 ? piece : [...parts, piece.slice(from)].join(WITHIN);
  }
}

/** The pieces of a text, each in a turn of the event loop. Throws 400 before more is read of a text than its bounds allow. */
async function* bounded(pieces: Iterable<string>, delimiter: string): AsyncGenerator<string> {
  const between = delimiter.charCodeAt(0);
  let [line, cells, before] = [1, 1, 0];
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at++) {
      const sign = piece.charCodeAt(at);
      if (sign === between) cells++;
      else if (sign === RETURN || (sign === NEWLINE && before !== RETURN)) [line, cells] = [line + 1, 1];
      before = sign;
      if (cells > CELLS_MAX) throw invalid(`Line ${line} has more than ${CELLS_MAX} cells: it is no row of a table.`);
      if (line > LINES_MAX)
        throw invalid(`The file has more than ${LINES_MAX} lines. Send it in parts, without the empty lines.`);
    }
    yield piece;
    await setImmediate();
  }
}

const [NEWLINE, RETURN] = ["\n".charCodeAt(0), "\r".charCodeAt(0)];

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function delimiterOf(text: string): string {
  const first = (/^[^\r\n]*/.exec(text)?.[0] ?? "").replaceAll(/"[^"]*"/g, "");
  const count = (delimiter: string) => first.split(delimiter).length;
  return [",", ";", "\t"].reduce((most, one) => (count(one) > count(most) ? one : most));
}

const breaksIn = (record: readonly string[]): number =>
  record.reduce((breaks, cell) => breaks + cell.split(/\r\n|\n|\r/).length - 1, 0);

const unquoted = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell.slice(1)) ? cell.slice(1) : cell);
