import { z } from "zod";
import { statementCurrencies } from "../../flows/customers/statement.ts";
import {
  orderedStatement,
  orderedStatementCsv,
  orderedStatementPdf,
} from "../../flows/documents/customer-statement-file.ts";
import { PDF } from "../../flows/documents/parties.ts";
import { StatementObject, StatementQuery } from "../../modules/books/schema.ts";
import { statementView } from "../../modules/books/view.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
  permission: "invoices:read",
  also: ["customers:read"],
  scope: "accounting:read",
  params: z.object({ id: z.string() }),
  query: StatementQuery,
} as const;

/** The endpoints of interface 18.6. */
export const customerStatementEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/customers/{id}/statement",
    summary: "Get a customer's statement: the balance at the first day, its changes, the balance at the last",
    replies: { 200: StatementObject },
    async handle({ ctx, params: { id }, query }, tx) {
      const { customer, statement } = await orderedStatement(tx, ctx, id, query);
      const currencies = await statementCurrencies(tx, customer.id);
      return { status: 200, body: statementView(customer.id, statement, currencies) };
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/customers/{id}/statement/pdf",
    summary: "Download a customer's statement as a PDF",
    media: PDF,
    download: ({ ctx, services, params: { id }, query }) => orderedStatementPdf(services, ctx, id, query),
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/customers/{id}/statement/csv",
    summary: "Download a customer's statement as CSV",
    media: "text/csv",
    download: ({ ctx, services, params: { id }, query }) => orderedStatementCsv(services, ctx, id, query),
  }),
];
