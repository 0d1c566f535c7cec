import { Readable } from "node:stream";
import { toTimestamp } from "../../kernel/time.ts";
import { vatRecords } from "../../modules/vat-returns/store.ts";
import { VAT_FIELDS, type VatQuestion } from "../../modules/vat-returns/types.ts";
import { csvText } from "../../platform/csv.ts";
import { vatFigures } from "../accounting/vat-return.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** More entries of one field than a period has; a field is read by one statement, since each reads the whole period. */
const RECORDS_MAX = 1_000_000;
/** Rows that are written as text at a time. */
const ROWS = 1000;

/**
 * A VAT return as CSV: a row for each figure, then the entries of each, by the same columns. The figures are read before it returns, so that an error
 * then can still be the answer.
 */
export async function vatReturnCsv(
  { db }: Pick<Services, "db">,
  { organisation }: Ctx,
  asked: VatQuestion,
): Promise<Readable> {
  const { figures } = await db.read(organisation.id, (tx) => vatFigures(tx, asked));
  async function* text(): AsyncGenerator<string> {
    yield csvText([["field", "description", "amount", "entryId", "kind", "subject", "occurredAt"]]);
    yield csvText(
      figures.map(({ field, description, amount }) => [field, description, amount, null, null, null, null]),
    );
    for (const field of VAT_FIELDS) {
      const records = await db.read(organisation.id, (tx) => vatRecords(tx, asked, { field, limit: RECORDS_MAX }));
      for (let at = 0; at < records.length; at += ROWS)
        yield csvText(
          records
            .slice(at, at + ROWS)
            .map((one) => [
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
  }
  return Readable.from(text(), { objectMode: false });
}
