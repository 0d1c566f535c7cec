import { OPEN_STATUSES } from "../../domain/invoices.ts";
import { calendarDay } from "../../kernel/time.ts";
import { ageOf, sumByAge } from "../../modules/aged-debtors/rules.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { invoicesOfCustomer } from "../../modules/invoices/store/invoices.ts";
import type { Tx } from "../../platform/database.ts";
import type { StatementDocument } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import type { Statement } from "../customers/statement.ts";
import type { Services } from "../services.ts";
import { bankFor, type Pdf, partiesOf, writePdf } from "./parties.ts";

/** How many open invoices the aging of a statement counts. */
const OPEN_MAX = 10_000;

/** The data of a statement's PDF. The aging of open invoices is as of today, whatever the period. */
export async function statementDocument(
  tx: Tx,
  ctx: Ctx,
  customer: Customer,
  { period, currency, opening, movements, unpaidDebits }: Statement,
): Promise<StatementDocument> {
  const issueDate = calendarDay(ctx.now);
  const [parties, bank, open] = await Promise.all([
    partiesOf(tx, ctx, { id: null, customerId: customer.id }),
    bankFor(tx, ctx, currency, customer.accountCode),
    invoicesOfCustomer(tx, customer.id, OPEN_STATUSES, OPEN_MAX),
  ]);
  const inCurrency = open.filter((invoice) => invoice.currency === currency);
  return {
    ...parties,
    issueDate,
    currency,
    period,
    opening,
    movements,
    unpaidDebits,
    aging: sumByAge(
      inCurrency.map((invoice) => ({ age: ageOf(invoice.dueDate, issueDate), amount: amountDue(invoice) })),
    ),
    payUrl: `${ctx.baseUrl}/portal/${ctx.organisation.slug}`,
    bank,
  };
}

/** The statement as a PDF, with a file name from its period. Throws 503 (`Renderer`). */
export const statementFile = (
  services: Pick<Services, "db" | "renderer">,
  ctx: Ctx,
  document: StatementDocument,
): Promise<Pdf> => {
  const { start, end } = document.period;
  return writePdf(services, ctx, `statement-${start}-to-${end}`, "statement", document);
};
