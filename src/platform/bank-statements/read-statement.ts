import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { beginningOf } from "../encodings.ts";
import { type CamtHead, camtLines, isCamt } from "./camt.ts";
import { csvLines, layoutOf } from "./csv-statement.ts";
import { type DateOrder, readDate } from "./dates.ts";
import { signedAmount } from "./direction.ts";
import { faulty, readUntil, type Warning } from "./fault.ts";
import type { ColumnMapping } from "./mapping.ts";
import { isOfx, type OfxHead, ofxLines } from "./ofx.ts";
import type { RowCounts, StatementLine } from "./statement.ts";
import { type Found, isLine, surveyed, type Traits } from "./survey.ts";

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
  /** How many rows the file has, and what became of each. */
  readonly rows: RowCounts;
  /** What staff should look at before they import it. */
  readonly warnings: readonly Warning[];
  /**
   * The dates of the first and the last line, whatever their order in the file; without lines the days that it says it
   * covers, else null.
   */
  readonly first: CalendarDay | null;
  readonly last: CalendarDay | null;
  /** Reads the lines again, as a stream. */
  lines(): AsyncGenerator<StatementLine>;
}

/**
 * Reads a statement: CSV, OFX or CAMT.053, known by how it begins. Of a mapping, OFX takes `unsigned`. The whole file
 * is checked before anything is answered, and read as a stream, so that its size does not matter to the memory beyond
 * its bytes. Throws 400 that names what is wrong by line and column.
 */
export async function readStatement(bytes: Uint8Array, mapping: ColumnMapping | null): Promise<ReadStatement> {
  const format = formatOfFile(bytes);
  if (format === "csv") return readCsv(bytes, mapping);
  const unsigned = format === "ofx" ? (mapping?.unsigned ?? null) : null;
  const traits = { order: "ymd", unsigned, signedByRule: format === "ofx" } as const;
  const head: CamtHead & OfxHead = {
    first: null,
    last: null,
    currency: null,
    listed: format === "camt053",
    asOf: null,
    balanceDays: [],
  };
  const read = format === "ofx" ? () => ofxLines(bytes, head) : () => camtLines(bytes, head);
  const statement = await checked({ format, bank: null }, read, traits);
  if (statement.count > 0) return statement;
  if (!head.listed) throw faulty([{ at: null, column: null, what: "The file holds no lines, and no list of them." }]);
  const [first, last] = [head.first, head.last].map((day) => readDate(day ?? "", "ymd"));
  if (!first && !last) {
    const days = [...head.balanceDays, head.asOf ?? ""].flatMap((day) => readDate(day, "ymd") ?? []).toSorted();
    return { ...statement, currency: head.currency, first: days[0] ?? null, last: days.at(-1) ?? null };
  }
  return { ...statement, currency: head.currency, first: first ?? last ?? null, last: last ?? first ?? null };
}

async function readCsv(bytes: Uint8Array, mapping: ColumnMapping | null): Promise<ReadStatement> {
  const found = await layoutOf(bytes, mapping);
  const { bank, order, unsigned } = found.layout;
  return checked({ format: "csv", bank }, () => csvLines(bytes, found), { order, unsigned, signedByRule: false });
}

/**
 * The mappings to try for an account that has a stored mapping, in order: the stored one, its columns with the dates in any order, and the
 * headings alone.
 */
export const readingsOf = (kept: ColumnMapping): readonly (ColumnMapping | null)[] =>
  kept.dateFormat === undefined ? [kept, null] : [kept, { ...kept, dateFormat: undefined }, null];

/**
 * Reads a statement as `readStatement`, with the first of `readingsOf` with which the whole file can be read. When none
 * can, throws the 400 of the one that read the most rows (the first of equal ones). So the message names a row that is
 * cut off, and not a fault that an older date format finds in an earlier row.
 */
export async function readAsKept(bytes: Uint8Array, kept: ColumnMapping): Promise<ReadStatement> {
  if (formatOfFile(bytes) !== "csv") return readStatement(bytes, null);
  const failed: { readonly error: ApiError; readonly until: number }[] = [];
  for (const mapping of readingsOf(kept)) {
    try {
      return await readCsv(bytes, mapping);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed.push({ error, until: readUntil(error) });
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
  if (/^\s*<\?xml|^\s*<[a-z!]/i.test(beginning) || isBinary(bytes) || MT940.test(beginning))
    throw faulty([{ at: null, column: null, what: OTHER }]);
  return "csv";
}

/** How a statement of SWIFT begins. */
const MT940 = /^\s*(?:\{1:|:20:)/;
const OTHER =
  "The file is neither CSV nor OFX nor CAMT.053. A PDF, an Excel workbook and MT940 cannot be read: " +
  "download the statement as CSV, OFX or CAMT.053.";

/** PDF, ZIP (as Excel's files) and other files with bytes that no text has. */
const isBinary = (bytes: Uint8Array): boolean => {
  const begins = Buffer.from(bytes.subarray(0, 4)).toString("latin1");
  return begins.startsWith("%PDF") || begins.startsWith("PK") || begins.startsWith("\xd0\xcf");
};

async function checked(
  about: Pick<ReadStatement, "format" | "bank">,
  read: () => Found,
  traits: Traits,
): Promise<ReadStatement> {
  const { rule, repeated, ...survey } = await surveyed(read(), traits);
  return {
    ...about,
    ...survey,
    async *lines() {
      for await (const line of read()) {
        if (!isLine(line)) continue;
        const { description, reference, charge } = line;
        const date = readDate(line.date.cell, survey.order);
        const id = line.bankId !== null && repeated.has(line.bankId) ? null : line.bankId;
        const bankId = id !== null && charge ? `${id} fee` : id;
        if (date) yield { date, description, amount: signedAmount(line.amount, rule), reference, bankId, charge };
      }
    },
  };
}
