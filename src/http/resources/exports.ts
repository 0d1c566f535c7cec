import { z } from "zod";
import {
  type CsvExport,
  customersCsv,
  type ExportFilter,
  invoicesCsv,
  journalCsv,
  transactionsCsv,
} from "../../flows/exports/export-csv.ts";
import { businessDay } from "../../kernel/time.ts";
import { INVOICE_STATUSES } from "../../modules/invoices/types.ts";
import { TRANSACTION_STATUSES } from "../../modules/payments/types.ts";
import { date, filter, oneOf } from "../../platform/schema.ts";
import { downloadEndpoint, type Endpoint } from "../endpoint.ts";

const MEDIA = "text/csv";

const day = (what: string) => filter().pipe(date().optional()).describe(`${what}, a South African day; included.`);
const days = { from: day("The first day"), to: day("The last day") };

const csvEndpoint = <Query extends z.ZodType<ExportFilter>>(
  kind: string,
  summary: string,
  query: Query,
  csv: CsvExport,
): Endpoint =>
  downloadEndpoint({
    audience: "staff",
    tag: { name: "Exports", about: "Everything of a kind as CSV." },
    path: `/exports/${kind}.csv`,
    summary,
    permission: "exports:read",
    query,
    media: MEDIA,
    async download({ ctx, services, query: wanted }) {
      return {
        content: await csv(services, ctx, wanted),
        contentType: `${MEDIA}; charset=utf-8`,
        fileName: `${kind}-${businessDay(ctx.now)}.csv`,
      };
    },
  });

/** Interface 14.2, exports: all records of a kind as CSV, oldest first. */
export const exportEndpoints = [
  csvEndpoint(
    "invoices",
    "Invoices as CSV, by their issue date",
    z.object({ ...days, status: oneOf(INVOICE_STATUSES) }),
    invoicesCsv,
  ),
  csvEndpoint(
    "transactions",
    "Transactions as CSV, by the day they began",
    z.object({ ...days, status: oneOf(TRANSACTION_STATUSES) }),
    transactionsCsv,
  ),
  csvEndpoint("customers", "Customers as CSV, by the day they were created", z.object(days), customersCsv),
  csvEndpoint(
    "journal",
    "Journal lines as CSV, by the day they occurred; debits are above zero, credits below",
    z.object(days),
    journalCsv,
  ),
];
