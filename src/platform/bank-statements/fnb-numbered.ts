import type { CalendarDay } from "../../kernel/time.ts";
import type { CsvRow } from "../csv.ts";
import { readDate } from "./dates.ts";

/*
 * FNB's oldest export: each row begins with the number of its kind. 2 is the account, 3 the statement with its days, 4
 * its sums, 5 the transactions, whose dates have no year; texts stand in apostrophes, and each kind has a row of
 * headings.
 */

const STATEMENT = "3";
/** The kind of row that is a transaction. */
export const TRANSACTION = "5";
/** The columns of a transaction that every such file has; accrued charges follow, which are not booked yet. */
export const NUMBERED_HEADINGS: readonly string[] = [
  "Kind",
  "Number",
  "Date",
  "Description1",
  "Description2",
  "Description3",
  "Amount",
  "Balance",
];

/** Whether a file begins as this export does: with its headings of transactions among the first rows. */
export const isNumbered = (beginning: string): boolean =>
  /(?:^|[\r\n])"?5"? *, *["']?Number["']? *, *["']?Date["']? *,/i.test(beginning);

/** The rows with their texts out of the apostrophes, and the year of each transaction's date, which is the statement's. */
export async function* numberedRows(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvRow> {
  let days: readonly CalendarDay[] = [];
  for await (const { line, cells: written } of rows) {
    const cells = joined(written);
    const [kind, , from = "", to = ""] = cells;
    if (kind === STATEMENT) {
      const read = [from, to].flatMap((cell) => readDate(cell, "dmy") ?? []);
      if (read.length === 2) days = read;
    }
    yield {
      line,
      cells: kind === TRANSACTION ? cells.map((cell, at) => (at === 2 ? dated(cell, days) : cell)) : cells,
    };
  }
}

/** Cells of a text in apostrophes, which may hold the separator, as one. */
function joined(written: readonly string[]): readonly string[] {
  const cells: string[] = [];
  let open: string | null = null;
  for (const cell of written) {
    const text: string = open === null ? cell : `${open}, ${cell}`;
    open = text.startsWith("'") && (text.length < 2 || !text.endsWith("'")) ? text : null;
    if (open === null) cells.push(text.replace(/^'(.*)'$/, "$1").trim());
  }
  return open === null ? cells : [...cells, open];
}

/** A day and month with the year in which they are among the statement's days; as it is when there is none. */
function dated(cell: string, days: readonly CalendarDay[]): string {
  const [from, to] = days;
  if (!from || !to || !/^\d{1,2} [a-z]{3,9}$/i.test(cell)) return cell;
  const years = [...new Set([from, to].map((day) => day.slice(0, 4)))];
  const within = years.find((year) => {
    const day = readDate(`${cell} ${year}`, "dmy");
    return day !== null && day >= from && day <= to;
  });
  return `${cell} ${within ?? nearest(cell, to)}`;
}

/** Of a day outside the statement, as of a transaction that was booked late: the latest year in which it is not after the statement. */
function nearest(cell: string, to: CalendarDay): string {
  const year = Number(to.slice(0, 4));
  const day = readDate(`${cell} ${year}`, "dmy");
  return `${day !== null && day <= to ? year : year - 1}`;
}
