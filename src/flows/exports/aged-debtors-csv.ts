import { Readable } from "node:stream";
import { AGES } from "../../modules/aged-debtors/rules.ts";
import { agedDebtors } from "../../modules/aged-debtors/store.ts";
import type { AgedQuestion } from "../../modules/aged-debtors/types.ts";
import { csvText } from "../../platform/csv.ts";
import type { Ctx } from "../context.ts";
import { withNamed } from "../search/named-by.ts";
import type { Services } from "../services.ts";

/** More customers than an organisation has. One statement reads them, since each statement adds all of them up. */
const CUSTOMERS_MAX = 1_000_000;
/** The number of rows that are written as text at a time. */
const ROWS = 1000;
const COLUMNS = [...AGES, "total", "credit"] as const;

/**
 * Aged debtors as CSV, a row for each customer, or for those that `q` matches. They are read before it returns, so that
 * a failure can still be answered with an error.
 */
export async function agedDebtorsCsv(
  { db }: Pick<Services, "db">,
  { organisation }: Ctx,
  asked: AgedQuestion,
  q: string | undefined,
): Promise<Readable> {
  const debtors = await db.read(organisation.id, async (tx) =>
    agedDebtors(tx, asked, await withNamed(tx, { q, limit: CUSTOMERS_MAX })),
  );
  function* text(): Generator<string> {
    yield csvText([["customerId", "name", "asAt", "currency", ...COLUMNS]]);
    for (let at = 0; at < debtors.length; at += ROWS)
      yield csvText(
        debtors
          .slice(at, at + ROWS)
          .map(({ customerId, name, amounts }) => [
            customerId,
            name,
            asked.asAt,
            asked.currency,
            ...COLUMNS.map((column) => amounts[column]),
          ]),
      );
  }
  return Readable.from(text(), { objectMode: false });
}
