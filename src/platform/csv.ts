import { stringify } from "csv-stringify/sync";
import { type Cents, toDecimalText } from "../kernel/money.ts";

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
