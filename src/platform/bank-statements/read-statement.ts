import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { BusinessDay } from "../../kernel/time.ts";
import { beginningOf } from "../encodings.ts";
import { camtLines, isCamt } from "./camt.ts";
import { csvLines, layoutOf } from "./csv-statement.ts";
import { DateColumn, type DateOrder, formatOf, readDate } from "./dates.ts";
import type { ColumnMapping } from "./layout.ts";
import { isOfx, ofxLines } from "./ofx.ts";
import { type Fault, type FoundLine, faulty, readUntil, type StatementLine } from "./statement.ts";

/** A statement that was read once as a whole and holds no fault. */
export interface ReadStatement {
  readonly format: "csv" | "ofx" | "camt053";
  /** The bank whose export has these headings; null for any other. */
  readonly bank: string | null;
  /** How its dates are written. */
  readonly order: DateOrder;
  /** Of the lines, as the file says; null when it does not. */
  readonly currency: string | null;
  readonly count: number;
  /** The dates of the first and the last line, whatever their order in the file. */
  readonly first: BusinessDay;
  readonly last: BusinessDay;
  /** Reads the lines again, as a stream. */
  lines(): AsyncGenerator<StatementLine>;
}

const FAULTS_KEPT = 1000;
/** Lines of one statement: an import keeps a little of each in memory until its end. */
const LINES_MAX = 150_000;

type Found = (FoundLine | Fault)[] | Iterable<FoundLine | Fault> | AsyncIterable<FoundLine | Fault>;

/**
 * Reads a statement: CSV, OFX or CAMT.053, known by how it begins. The whole file is checked before anything is answered, and read as a stream, so
 * that its size does not matter to the memory beyond its bytes. Throws 400 that names what is wrong by line and column.
 */
export async function readStatement(bytes: Uint8Array, mapping: ColumnMapping | null): Promise<ReadStatement> {
  const format = formatOfFile(bytes);
  if (format === "ofx") return checked(format, null, () => ofxLines(bytes), "ymd");
  if (format === "camt053") return checked(format, null, () => camtLines(bytes), "ymd");
  const found = await layoutOf(bytes, mapping);
  return checked("csv", found.layout.bank, () => csvLines(bytes, found), found.layout.order);
}

/**
 * The mappings to try for an account that has a stored mapping, in order: the stored one, its columns with the dates in any order, and the
 * headings alone.
 */
export const readingsOf = (kept: ColumnMapping): readonly (ColumnMapping | null)[] =>
  kept.dateFormat === undefined ? [kept, null] : [kept, { ...kept, dateFormat: undefined }, null];

/**
 * Reads a statement as `readStatement`, with the first of `readingsOf` with which the whole file can be read. When none can, throws the 400 of
 * the one that read the most rows (the first of equal ones). So the message names a row that is cut off, and not a fault that an older date
 * format finds in an earlier row.
 */
export async function readAsKept(bytes: Uint8Array, kept: ColumnMapping): Promise<ReadStatement> {
  if (formatOfFile(bytes) !== "csv") return readStatement(bytes, null);
  const failed: { readonly error: ApiError; readonly until: number }[] = [];
  for (const mapping of readingsOf(kept)) {
    let known = false;
    try {
      const found = await layoutOf(bytes, mapping);
      known = true;
      return await checked("csv", found.layout.bank, () => csvLines(bytes, found), found.layout.order);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed.push({ error, until: known ? readUntil(error) : 0 });
    }
  }
  throw furthest(failed).error;
}

/** The first of those with the greatest `until`. */
export function furthest<One extends { readonly until: number }>(all: readonly One[]): One {
  const most = Math.max(...all.map(({ until }) => until));
  const found = all.find(({ until }) => until === most);
  assert(found, "there is one");
  return found;
}

/** The format of a file, by its first bytes. Throws 400 for a file that is no statement. */
export function formatOfFile(bytes: Uint8Array): ReadStatement["format"] {
  const beginning = beginningOf(bytes);
  if (isOfx(beginning)) return "ofx";
  if (isCamt(beginning)) return "camt053";
  if (/^\s*<\?xml|^\s*<[a-z!]/i.test(beginning) || isBinary(bytes))
    throw faulty([{ at: null, column: null, what: "The file is neither CSV nor OFX nor CAMT.053." }]);
  return "csv";
}

/** PDF, ZIP (as Excel's files) and other files with bytes that no text has. */
const isBinary = (bytes: Uint8Array): boolean => {
  const begins = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  return begins.startsWith("%PDF") || begins.startsWith("PK") || begins.startsWith("\xd0\xcf");
};

async function checked(
  format: ReadStatement["format"],
  bank: string | null,
  read: () => Found,
  known: DateOrder | null,
): Promise<ReadStatement> {
  const { order, currency, count, first, last } = await survey(read(), known);
  return {
    format,
    bank,
    order,
    currency,
    count,
    first,
    last,
    async *lines() {
      for await (const line of read()) {
        if (!isLine(line) || line.amount === 0) continue;
        const date = readDate(line.date.cell, order);
        if (date) yield { date, description: line.description, amount: line.amount, reference: line.reference };
      }
    },
  };
}

const TOO_MANY = `a statement has at most ${LINES_MAX} lines: import the others from another file`;

const isLine = (found: FoundLine | Fault): found is FoundLine => "amount" in found;

/** Reads all lines once, and collects their faults, the order of their dates, and their currency. */
async function survey(found: Found, known: DateOrder | null) {
  const faults: Fault[] = [];
  const dates = new DateColumn();
  const currencies = new Map<string, number>();
  let count = 0;
  let column = "";
  const cells: Extremes = new Map();
  for await (const line of found) {
    if (faults.length === FAULTS_KEPT) break;
    if (!isLine(line)) {
      faults.push(line);
      continue;
    }
    if (count === LINES_MAX) {
      faults.push({ at: line.at, column: null, what: TOO_MANY });
      break;
    }
    count++;
    column = line.date.column;
    if (line.currency !== null && !currencies.has(line.currency)) currencies.set(line.currency, line.at);
    const { cell } = line.date;
    const fits = known === null ? dates.add(line.at, cell) : readDate(cell, known) !== null;
    if (fits) noteExtremes(cells, cell, known);
    else faults.push({ at: line.at, column, what: notADate(cell, known) });
  }
  if (faults.length > 0) throw faulty(faults);
  if (count === 0) throw faulty([{ at: null, column: null, what: "The file holds no lines." }]);
  const order = known ?? dates.order();
  if (typeof order === "object") throw faulty([{ at: null, column, what: order.fault }]);
  return { order, count, currency: oneCurrency(currencies), ...extremesOf(cells, order) };
}

const notADate = (cell: string, known: DateOrder | null): string =>
  cell === ""
    ? "the date is missing"
    : `${cell} is not a date${known === null ? "" : ` written as ${formatOf[known]}`}`;

function oneCurrency(currencies: ReadonlyMap<string, number>): string | null {
  const [first, second] = [...currencies];
  if (second)
    throw faulty([
      {
        at: second[1],
        column: null,
        what: `the line is in ${second[0]}, others are in ${first?.[0]}: import one currency at a time`,
      },
    ]);
  return first?.[0] ?? null;
}

/** The first and the last date in each order, since the order is not known before the end. */
type Extremes = Map<DateOrder, { first: BusinessDay; last: BusinessDay }>;

function noteExtremes(extremes: Extremes, cell: string, known: DateOrder | null): void {
  for (const order of known === null ? (Object.keys(formatOf) as DateOrder[]) : [known]) {
    const day = readDate(cell, order);
    const before = extremes.get(order);
    if (day && !before) extremes.set(order, { first: day, last: day });
    else if (day && before) {
      if (day < before.first) before.first = day;
      if (day > before.last) before.last = day;
    }
  }
}

function extremesOf(extremes: Extremes, order: DateOrder): { first: BusinessDay; last: BusinessDay } {
  const found = extremes.get(order);
  if (!found) throw faulty([{ at: null, column: null, what: "The file holds no lines." }]);
  return found;
}
