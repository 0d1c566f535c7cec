import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { addDays, type CalendarDay, calendarDay, daysBetween, firstOfMonth } from "../../kernel/time.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { csvText } from "../../platform/csv.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { readStatement, type Statement } from "../customers/statement.ts";
import type { Services } from "../services.ts";
import type { Pdf } from "./parties.ts";
import { statementDocument, statementFile } from "./statement-file.ts";

/**
 * The parameters of a statement for staff. The days are inclusive; by default the statement covers last month and this
 * month until today.
 */
interface StatementOrder {
  readonly from?: CalendarDay | undefined;
  readonly to?: CalendarDay | undefined;
  readonly currency: string | null;
}

const DAYS_MAX = 366;

/**
 * A customer's statement for staff (interface 18.6). Throws 404; 400 for days in the wrong order, for more than a year,
 * and for more movements than a statement holds.
 */
export async function orderedStatement(
  tx: Tx,
  { now }: Ctx,
  id: string,
  order: StatementOrder,
): Promise<{ customer: Customer; statement: Statement }> {
  const end = order.to ?? calendarDay(now);
  const start = order.from ?? firstOfMonth(addDays(firstOfMonth(end), -1));
  if (end < start) throw invalidField(["to"], "The last day must not be before the first.");
  if (daysBetween(start, end) >= DAYS_MAX) throw invalidField(["from"], "A statement is of a year at most.");
  const customer = await findCustomer(tx, id);
  if (!customer) throw notFound("customer");
  const statement = await readStatement(tx, customer.id, order.currency ?? DEFAULT_CURRENCY, { start, end });
  if (!statement) throw invalid("Too much happened in these days for one statement. Choose fewer.");
  return { customer, statement };
}

/** The statement as a PDF, the same as the customer's. Throws as `orderedStatement`; 503 (`Renderer`). */
export async function orderedStatementPdf(
  services: Services,
  ctx: Ctx,
  id: string,
  order: StatementOrder,
): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, async (tx) => {
    const { customer, statement } = await orderedStatement(tx, ctx, id, order);
    return statementDocument(tx, ctx, customer, statement);
  });
  return statementFile(services, ctx, document);
}

/** The statement as CSV: opening balance, movements, closing balance. Throws as `orderedStatement`. */
export async function orderedStatementCsv(
  { db }: Pick<Services, "db">,
  ctx: Ctx,
  id: string,
  order: StatementOrder,
): Promise<{ readonly content: Buffer; readonly contentType: string; readonly fileName: string }> {
  const { statement } = await db.read(ctx.organisation.id, (tx) => orderedStatement(tx, ctx, id, order));
  const { period, opening, closing, movements, unpaidDebits } = statement;
  const rows = [
    ["date", "description", "amount", "balance"],
    [period.start, "Opening balance", null, opening],
    ...movements.map(({ day, description, amount, balance }) => [day, description, amount, balance]),
    [period.end, "Closing balance", null, closing],
    ...unpaidDebits.map(({ day, description, amount }) => [day, description, amount, null]),
  ];
  return {
    content: Buffer.from(csvText(rows)),
    contentType: "text/csv; charset=utf-8",
    fileName: `statement-${period.start}-to-${period.end}.csv`,
  };
}
