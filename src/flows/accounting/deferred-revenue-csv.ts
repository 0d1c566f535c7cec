import { Readable } from "node:stream";
import type { Month } from "../../modules/deferred-revenue/types.ts";
import { csvText } from "../../platform/csv.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { deferredInvoices } from "./deferred-revenue.ts";

const MOVEMENT = ["opening", "deferred", "recognised", "reversed", "closing"] as const;
const COLUMNS = [
  ...["month", "invoiceId", "invoiceNumber", "customerId", "customerName", "line", "description"],
  ...["periodStart", "periodEnd", "currency", "amount", ...MOVEMENT],
];

/**
 * Deferred revenue of a month as a stream of CSV, a row for each line of an invoice. The first invoices are read before
 * it returns, so that a failure up to then can still be answered with an error.
 */
export async function deferredRevenueCsv(
  { db }: Pick<Services, "db">,
  { organisation }: Ctx,
  month: Month,
  currency: string,
): Promise<Readable> {
  const pieces = deferredInvoices((work) => db.read(organisation.id, work), month, currency);
  let piece = await pieces.next();
  async function* text(): AsyncGenerator<string> {
    yield csvText([COLUMNS]);
    for (; !piece.done; piece = await pieces.next())
      yield csvText(
        piece.value.flatMap(({ id, number, customerId, customerName, lines }) =>
          lines.map(({ line, description, start, end, amount, moved }) => [
            ...[month.first.slice(0, 7), id, number, customerId, customerName, String(line), description, start, end],
            ...[currency, amount, ...MOVEMENT.map((name) => moved[name])],
          ]),
        ),
      );
  }
  return Readable.from(text(), { objectMode: false });
}
