import { Readable } from "node:stream";
import { addDays, type CalendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { type Cell, csvText } from "../../platform/csv.ts";
import type { Tx } from "../../platform/database.ts";
import { createFairQueue } from "../../platform/fair-queue.ts";
import type { FiltersOf } from "../../platform/schema.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** Filters of an export; days are South African and inclusive, and an absent field does not filter. */
export interface ExportFilter {
  readonly from?: CalendarDay | undefined;
  readonly to?: CalendarDay | undefined;
}

/** The filters of a list, with the days of the export. */
export type ExportQuery<Query> = FiltersOf<Query> & ExportFilter;

/**
 * The number of rows that one transaction reads. It limits the transaction's time, the memory, and how long the event
 * loop writes the rows as text.
 */
const ROWS = 500;
/** Like `ROWS`, for rows that may be long, such as mails with their text. */
const LONG_ROWS = 100;

/**
 * How many pages of exports are read and written at once: exports of several organisations take turns, and leave
 * connections to requests.
 */
const PAGES = createFairQueue({
  what: "exports",
  together: 2,
  togetherOfOne: 2,
  waiting: Number.POSITIVE_INFINITY,
  waitingOfOne: Number.POSITIVE_INFINITY,
  waitMs: null,
});

/** The rows to read: this many after the key `after`, which is empty at first. */
interface Page {
  readonly after: string;
  readonly limit: number;
}

/** Like `Page`, within days. */
interface PageOfDays extends Page {
  readonly days: { readonly from: CalendarDay | null; readonly to: CalendarDay | null };
  readonly from: Instant | null;
  readonly until: Instant | null;
}

/** The common parts of every export. */
interface Columns<Row> {
  /** The names of the API's fields, in the order of the columns. */
  readonly columns: Readonly<Record<string, (row: Row) => Cell>>;
  /** Whether rows are long, so that fewer are read at a time. */
  readonly long?: boolean;
}

interface Export<Row, Filter, Asked extends Page> extends Columns<Row> {
  /** Rows after the key `after`, in the order of keys; an empty array at the end. */
  read(tx: Tx, page: Asked, filter: Filter, ctx: Ctx): Promise<Row[]>;
  keyOf(row: Row): string;
}

/**
 * An export as a stream of CSV. The first rows are read before it returns, so that a failure up to then can still be
 * answered with an error.
 */
export type CsvExport<Filter = ExportFilter> = (
  services: Pick<Services, "db">,
  ctx: Ctx,
  filter: Filter,
) => Promise<Readable>;

/** Makes an export that reads a page at a time. */
const pagedExport = <Row, Filter>({
  columns,
  long = false,
  read,
  keyOf,
}: Export<Row, Filter, Page>): CsvExport<Filter> => {
  const cells = Object.values(columns);
  const limit = long ? LONG_ROWS : ROWS;
  return async ({ db }, ctx, filter) => {
    const next = (after: string) =>
      PAGES.run(ctx.organisation.id, async () => {
        const rows = await db.read(ctx.organisation.id, (tx) => read(tx, { after, limit }, filter, ctx));
        return { last: rows.at(-1), text: csvText(rows.map((row) => cells.map((cell) => cell(row)))) };
      });
    const first = await next("");
    async function* text(): AsyncGenerator<string> {
      yield csvText([Object.keys(columns)]);
      for (let page = first; page.last !== undefined; page = await next(keyOf(page.last))) yield page.text;
    }
    return Readable.from(text(), { objectMode: false });
  };
};

/** Makes an export of the rows of some days. */
export const csvExport = <Row, Filter extends ExportFilter = ExportFilter>({
  read,
  ...rest
}: Export<Row, Filter, PageOfDays>): CsvExport<Filter> =>
  pagedExport<Row, Filter>({
    ...rest,
    read(tx, page, filter, ctx) {
      const { from, to } = filter;
      const days = { from: from ?? null, to: to ?? null };
      const until = to === undefined ? null : startOfDay(addDays(to, 1));
      return read(tx, { ...page, days, from: from === undefined ? null : startOfDay(from), until }, filter, ctx);
    },
  });

/**
 * Makes the export of a list: read page after page in the list's order, with its filters
 * (decisions.md#exports-read-what-lists-read).
 */
export const listExport = <Row extends { readonly id: string }, Query>({
  list,
  ...rest
}: Columns<Row> & {
  list(
    tx: Tx,
    query: FiltersOf<Query> & {
      readonly limit: number;
      readonly startingAfter: string | undefined;
      readonly endingBefore: undefined;
    },
    ctx: Ctx,
  ): Promise<Row[]>;
}): CsvExport<FiltersOf<Query>> =>
  pagedExport<Row, FiltersOf<Query>>({
    ...rest,
    read: (tx, { after, limit }, filter, ctx) =>
      list(tx, { ...filter, limit, startingAfter: after || undefined, endingBefore: undefined }, ctx),
    keyOf: ({ id }) => id,
  });
