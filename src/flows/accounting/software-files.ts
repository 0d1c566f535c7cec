import { Readable } from "node:stream";
import { invalidField, notFound } from "../../kernel/errors.ts";
import { addDays, addMonths, type CalendarDay, firstOfMonth, startOfDay } from "../../kernel/time.ts";
import { type ChosenCodes, changedCodes, codesOf } from "../../modules/accounting-software/rules/codes.ts";
import { LAYOUTS, type Layout } from "../../modules/accounting-software/rules/layouts.ts";
import { softwareView } from "../../modules/accounting-software/schema.ts";
import {
  documentLines,
  journalSums,
  lockChosenCodes,
  readCodes,
  saveChosenCodes,
} from "../../modules/accounting-software/store.ts";
import { type Codes, type DocumentLine, SOFTWARE, type Software } from "../../modules/accounting-software/types.ts";
import { csvText } from "../../platform/csv.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** The software with this name. Throws 404 for an unknown name. */
export function softwareOf(name: string): Software {
  const software = SOFTWARE.find((one) => one === name);
  if (!software) throw notFound("accounting software");
  return software;
}

/** Each accounting software with its codes. */
export const readSoftware = (tx: Tx) =>
  Promise.all(SOFTWARE.map(async (software) => softwareView(software, await readCodes(tx, software))));

/** Changes the codes of a software's accounts and VAT. */
export async function changeCodes(tx: Tx, software: Software, change: ChosenCodes) {
  const before = await lockChosenCodes(tx, software);
  const after = changedCodes(before, change);
  saveChosenCodes(tx, software, after);
  return {
    before: softwareView(software, codesOf(software, before)),
    after: softwareView(software, codesOf(software, after)),
  };
}

/** The contents of a file; days are South African and inclusive. */
export interface FileQuery {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
  readonly currency: string;
}

const LONGEST_MONTHS = 36;

function checkPeriod({ from, to }: FileQuery): void {
  if (to < from) throw invalidField(["to"], "must not be before from");
  if (to >= addMonths(from, LONGEST_MONTHS))
    throw invalidField(["to"], `must be within ${LONGEST_MONTHS} months of from`);
}

/** The number of documents that one transaction reads. */
const BATCH = 500;

const rowsAs =
  <Row>(layout: Layout<Row>, codes: Codes) =>
  (rows: readonly Row[]): string =>
    csvText(rows.map((row) => Object.values(layout).map((cell) => cell(row, codes))));

type Files = Pick<Services, "db">;

/** The documents of one kind that were posted in the period, in the software's columns, as a stream. */
export async function documentsFile(
  { db }: Files,
  { organisation }: Ctx,
  software: Software,
  kind: DocumentLine["kind"],
  query: FileQuery,
  limit = BATCH,
): Promise<Readable> {
  checkPeriod(query);
  const span = { from: startOfDay(query.from), until: startOfDay(addDays(query.to, 1)), currency: query.currency };
  const next = (after: string) => db.read(organisation.id, (tx) => documentLines(tx, kind, { ...span, after, limit }));
  const codes = await db.read(organisation.id, (tx) => readCodes(tx, software));
  const first = await next("");
  const layout = LAYOUTS[software][kind === "invoice" ? "invoices" : "creditNotes"];
  const written = rowsAs(layout, codes);
  async function* text(): AsyncGenerator<string> {
    yield csvText([Object.keys(layout)]);
    for (let lines = first; ; ) {
      const last = lines.at(-1);
      if (last === undefined) return;
      yield written(lines);
      lines = await next(last.id);
    }
  }
  return Readable.from(text(), { objectMode: false });
}

/**
 * One journal for each day or each month of the period, in the software's columns, as a stream that reads a month at a
 * time.
 */
export async function journalFile(
  { db }: Files,
  { organisation }: Ctx,
  software: Software,
  query: FileQuery & { readonly by: "day" | "month"; readonly apart: boolean },
): Promise<Readable> {
  checkPeriod(query);
  const codes = await db.read(organisation.id, (tx) => readCodes(tx, software));
  const layout = LAYOUTS[software].journal;
  const written = rowsAs(layout, codes);
  const { currency, by, apart } = query;
  async function* text(): AsyncGenerator<string> {
    yield csvText([Object.keys(layout)]);
    for (let day = query.from; day <= query.to; ) {
      const next = addMonths(firstOfMonth(day), 1);
      const end = next <= query.to ? next : addDays(query.to, 1);
      const span = { from: startOfDay(day), until: startOfDay(end), currency };
      const on = by === "month" ? addDays(end, -1) : null;
      yield written(await db.read(organisation.id, (tx) => journalSums(tx, { ...span, on, apart })));
      day = end;
    }
  }
  return Readable.from(text(), { objectMode: false });
}
