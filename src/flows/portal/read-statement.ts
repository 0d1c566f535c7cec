import type { Customer } from "../../modules/customers/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import type { StatementDocument } from "../../templates/printed.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { readStatement, type Statement, type StatementPeriod, statementCurrencies } from "../customers/statement.ts";
import type { Pdf } from "../documents/parties.ts";
import { statementDocument, statementFile } from "../documents/statement-file.ts";
import { currentSettings } from "../organisations/settings.ts";
import { readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";

/** The parameters of the statement. When `currency` is null it is rand, or else the customer's first currency. */
export interface StatementQuery {
  readonly period: StatementPeriod;
  readonly currency: string | null;
}

/** The facts on the portal's statement page. */
export interface PortalStatement {
  readonly settings: Settings;
  readonly currency: string;
  /** The currencies in which the customer has a balance. */
  readonly currencies: readonly string[];
  /** Null when the period has more movements than a statement can hold. */
  readonly statement: Statement | null;
}

/**
 * Reads the facts of the statement page. Null when the session is unknown, has expired, or belongs to another
 * organisation.
 */
export const readPortalStatement = (
  services: Services,
  ctx: Ctx,
  session: string,
  query: StatementQuery,
): Promise<PortalStatement | null> =>
  readAsCustomer(services, ctx, session, async (tx, customer) => ({
    settings: await currentSettings(tx),
    ...(await read(tx, customer, query)),
  }));

/**
 * The statement as a PDF. Null when nobody is signed in, and when the period has more movements than a statement can
 * hold.
 */
export async function portalStatementFile(
  services: Services,
  ctx: Ctx,
  session: string,
  query: StatementQuery,
): Promise<Pdf | null> {
  const document = await readAsCustomer(
    services,
    ctx,
    session,
    async (tx, customer): Promise<StatementDocument | null> => {
      const { statement } = await read(tx, customer, query);
      return statement && statementDocument(tx, ctx, customer, statement);
    },
  );
  return document && statementFile(services, ctx, document);
}

async function read(
  tx: Tx,
  customer: Customer,
  { period, currency: wanted }: StatementQuery,
): Promise<Omit<PortalStatement, "settings">> {
  const currencies = await statementCurrencies(tx, customer.id);
  const has = (candidate: string | null) => candidate !== null && currencies.includes(candidate);
  const currency = [wanted, DEFAULT_CURRENCY].find(has) ?? currencies[0] ?? DEFAULT_CURRENCY;
  return { currency, currencies, statement: await readStatement(tx, customer.id, currency, period) };
}
