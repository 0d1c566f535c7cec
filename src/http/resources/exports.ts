import { z } from "zod";
import type { CsvExport, ExportFilter } from "../../flows/exports/csv-export.ts";
import { customersCsv, invoicesCsv, journalCsv, ledgerCsv, transactionsCsv } from "../../flows/exports/export-csv.ts";
import {
  creditNotesCsv,
  customerSubscriptionsCsv,
  eftOrdersCsv,
  mandatesCsv,
  paymentLinksCsv,
  quotesCsv,
} from "../../flows/exports/list-csv.ts";
import { businessDay } from "../../kernel/time.ts";
import { ledgerAccount } from "../../modules/accounting-months/schema.ts";
import { CreditNoteQuery } from "../../modules/credit-notes/schema.ts";
import { CustomerSubscriptionQuery } from "../../modules/customer-subscriptions/schema.ts";
import { CustomerQuery } from "../../modules/customers/schema.ts";
import { EftOrderQuery } from "../../modules/eft-orders/schema.ts";
import { InvoiceQuery } from "../../modules/invoices/schema.ts";
import { MandateQuery } from "../../modules/mandates/schema.ts";
import { PaymentLinkQuery } from "../../modules/payment-links/schema.ts";
import { TransactionQuery } from "../../modules/payments/schema.ts";
import { QuoteQuery } from "../../modules/quotes/schema.ts";
import { date, filter } from "../../platform/schema.ts";
import { downloadEndpoint, type Endpoint } from "../endpoint.ts";

const MEDIA = "text/csv";

const day = (what: string) => filter().pipe(date().optional()).describe(`${what}, a South African day; included.`);
const days = { from: day("The first day"), to: day("The last day") };

const PAGING = { limit: true, startingAfter: true } as const;

const csvEndpoint = <Filter extends ExportFilter>(
  kind: string,
  summary: string,
  query: z.ZodType<Filter>,
  csv: CsvExport<Filter>,
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

/** Interface 14.2, exports: all records of a kind as CSV. Those with days are oldest first, the others newest first, as their lists. */
export const exportEndpoints = [
  csvEndpoint(
    "invoices",
    "Invoices as CSV, by their issue date; with every filter of the list",
    InvoiceQuery.omit(PAGING).extend(days),
    invoicesCsv,
  ),
  csvEndpoint(
    "transactions",
    "Transactions as CSV, by the day they began; with every filter of the list",
    TransactionQuery.omit(PAGING).extend(days),
    transactionsCsv,
  ),
  csvEndpoint(
    "customers",
    "Customers as CSV, by the day they were created; with every filter of the list",
    CustomerQuery.omit(PAGING).extend(days),
    customersCsv,
  ),
  csvEndpoint(
    "journal",
    "Journal lines as CSV, by the day they occurred; debits are above zero, credits below",
    z.object(days),
    journalCsv,
  ),
  csvEndpoint(
    "ledger",
    "What entries posted to one ledger account as CSV, by the day they occurred",
    z.object({ ...days, account: ledgerAccount() }),
    ledgerCsv,
  ),
  csvEndpoint(
    "quotes",
    "Quotes as CSV, newest first; with every filter of the list",
    QuoteQuery.omit(PAGING),
    quotesCsv,
  ),
  csvEndpoint(
    "credit-notes",
    "Credit notes as CSV, newest first; with every filter of the list",
    CreditNoteQuery.omit(PAGING),
    creditNotesCsv,
  ),
  csvEndpoint(
    "payment-links",
    "Payment links as CSV, newest first; with every filter of the list",
    PaymentLinkQuery.omit(PAGING),
    paymentLinksCsv,
  ),
  csvEndpoint(
    "eft-orders",
    "EFT orders as CSV, newest first; with every filter of the list",
    EftOrderQuery.omit(PAGING),
    eftOrdersCsv,
  ),
  csvEndpoint(
    "mandates",
    "Mandates as CSV, newest first; with every filter of the list",
    MandateQuery.omit(PAGING),
    mandatesCsv,
  ),
  csvEndpoint(
    "customer-subscriptions",
    "Customer subscriptions as CSV, newest first; with every filter of the list",
    CustomerSubscriptionQuery.omit(PAGING),
    customerSubscriptionsCsv,
  ),
];
