import { Readable } from "node:stream";
import { toTimestamp } from "../../kernel/time.ts";
import { untaxedField } from "../../modules/vat-returns/rules.ts";
import { afterLines, vatRecords } from "../../modules/vat-returns/store.ts";
import { VAT_FIELDS, type VatField, type VatQuestion, type VatRecord } from "../../modules/vat-returns/types.ts";
import { csvText } from "../../platform/csv.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { vatFigures } from "./vat-return.ts";

/** The number of lines of the books that one statement reads. */
const LINES = 20_000;
/** The number of rows that are written as text at a time. */
const ROWS = 1000;
/** More entries than `LINES` lines have. */
const RECORDS_MAX = 1_000_000;

/**
 * The entries of a field, oldest first, in batches. The amount of an entry in the return depends on earlier entries
 * only, so the batches together equal the whole.
 */
async function* recordsOf(
  db: Services["db"],
  { organisation }: Ctx,
  asked: VatQuestion,
  field: VatField,
  lines: number,
): AsyncGenerator<VatRecord[]> {
  for (let { from, until } = asked.span; from < until; ) {
    const rest = { from, until };
    const [records, end] = await db.read(organisation.id, async (tx) => {
      const piece = { from, until: await afterLines(tx, rest, lines) };
      return [await vatRecords(tx, { ...asked, span: piece }, { field, limit: RECORDS_MAX }), piece.until] as const;
    });
    for (let at = 0; at < records.length; at += ROWS) yield records.slice(at, at + ROWS);
    from = end;
  }
}

/**
 * A VAT return as CSV: a row for each figure, then the entries of each, in the same columns. The figures are read
 * before it returns, so that a failure up to then can still be answered with an error; the entries are read in batches
 * of `lines` lines while the client reads.
 */
export async function vatReturnCsv(
  { db }: Pick<Services, "db">,
  ctx: Ctx,
  asked: VatQuestion,
  lines = LINES,
): Promise<Readable> {
  const { figures } = await db.read(ctx.organisation.id, (tx) => vatFigures(tx, asked));
  /** Amounts of all other fields are positive. */
  const mayHaveRecords = (field: VatField) =>
    field === untaxedField(asked) || figures.some((one) => one.field === field && one.amount !== 0);
  async function* text(): AsyncGenerator<string> {
    yield csvText([["field", "description", "amount", "entryId", "kind", "subject", "occurredAt"]]);
    yield csvText(
      figures.map(({ field, description, amount }) => [field, description, amount, null, null, null, null]),
    );
    for (const field of VAT_FIELDS.filter(mayHaveRecords))
      for await (const records of recordsOf(db, ctx, asked, field, lines))
        yield csvText(
          records.map((one) => [
            field,
            one.description,
            one.amount,
            one.id,
            one.kind,
            one.subject,
            toTimestamp(one.occurredAt),
          ]),
        );
  }
  return Readable.from(text(), { objectMode: false });
}
