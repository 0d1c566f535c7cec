import { Readable } from "node:stream";
import { addDays, type BusinessDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { type Cell, csvText } from "../../platform/csv.ts";
import type { Tx } from "../../platform/database.ts";
import type { FiltersOf } from "../../platform/schema.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** Which rows: days are South African and inclusive; a field that is left out does not filter. */
export interface ExportFilter {
  readonly from?: BusinessDay | undefined;
  readonly to?: BusinessDay | undefined;
}

/** The filters of a list, with the days of the export. */
export type Wanted<Query> = FiltersOf<Query> & ExportFilter;

/** Rows that one transaction reads. This bounds the time of a transaction and the memory. */
const BATCH = 1000;

/** The rows to read: so many after the key `after`, which is empty at first, within days. */
export interface Batch {
  readonly after: string;
  readonly limit: number;
  readonly days: { readonly from: BusinessDay | null; readonly to: BusinessDay | null };
  readonly from: Instant | null;
  readonly until: Instant | null;
}

/** What an export is made of. */
export interface Export<Row, Filter extends ExportFilter> {
  /** Names of the API's fields, in the order of the columns. */
  readonly columns: Readonly<Record<string, (row: Row) => Cell>>;
  /** Rows after the key `after`, in the order of keys; an empty array at the end. */
  read(tx: Tx, batch: Batch, filter: Filter, ctx: Ctx): Promise<Row[]>;
  keyOf(row: Row): string;
}

/** An export as a stream of CSV. The first rows are read before it returns, so an error then can still be the answer. */
export type CsvExport<Filter extends ExportFilter = ExportFilter> = (
  services: Pick<Services, "db">,
  ctx: Ctx,
  filter: Filter,
) => Promise<Readable>;

/** Makes the export, which reads a batch at a time. */
export function csvExport<Row, Filter extends ExportFilter = ExportFilter>({
  columns,
  read,
  keyOf,
}: Export<Row, Filter>): CsvExport<Filter> {
  const cells = Object.values(columns);
  return async ({ db }, ctx, filter) => {
    const { from, to } = filter;
    const wanted = {
      limit: BATCH,
      days: { from: from ?? null, to: to ?? null },
      from: from === undefined ? null : startOfDay(from),
      until: to === undefined ? null : startOfDay(addDays(to, 1)),
    };
    const next = (after: string) => db.read(ctx.organisation.id, (tx) => read(tx, { ...wanted, after }, filter, ctx));
    const first = await next("");
    async function* text(): AsyncGenerator<string> {
      yield csvText([Object.keys(columns)]);
      for (let rows = first; ; ) {
        const last = rows.at(-1);
        if (last === undefined) return;
        yield csvText(rows.map((row) => cells.map((cell) => cell(row))));
        rows = await next(keyOf(last));
      }
    }
    return Readable.from(text(), { objectMode: false });
  };
}
