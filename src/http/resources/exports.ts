import { z } from "zod";
import { awaitedCsv, bankLinesCsv, statementsCsv } from "../../flows/exports/bank-csv.ts";
import { checkoutSessionsCsv, couponsCsv, packagesCsv, productsCsv } from "../../flows/exports/catalogue-csv.ts";
import { customersCsv, invoicesCsv, journalCsv, ledgerCsv, transactionsCsv } from "../../flows/exports/export-csv.ts";
import {
  creditNotesCsv,
  customerSubscriptionsCsv,
  debitBatchesCsv,
  eftOrdersCsv,
  gatewaySubscriptionsCsv,
  mandatesCsv,
  migrationsCsv,
  movementsCsv,
  paymentLinksCsv,
  quotesCsv,
} from "../../flows/exports/list-csv.ts";
import { auditLogCsv, deliveriesCsv, emailsCsv, eventsCsv, requestLogCsv } from "../../flows/exports/log-csv.ts";
import {
  apiKeysCsv,
  gatewaysCsv,
  membersCsv,
  rulesCsv,
  webhookEndpointsCsv,
} from "../../flows/exports/settings-csv.ts";
import type { MailTable } from "../../flows/mail/mail.ts";
import { ledgerAccount } from "../../modules/accounting-months/schema.ts";
import { ApiKeyQuery } from "../../modules/api-keys/schema.ts";
import { AuditQuery } from "../../modules/audit-log/schema.ts";
import { CheckoutSessionQuery } from "../../modules/checkout-sessions/schema.ts";
import { CouponQuery } from "../../modules/coupons/schema.ts";
import { CreditNoteQuery } from "../../modules/credit-notes/schema.ts";
import { CustomerSubscriptionQuery, MovementQuery } from "../../modules/customer-subscriptions/schema.ts";
import { CustomerQuery } from "../../modules/customers/schema.ts";
import { DebitBatchQuery } from "../../modules/debit-batches/schema.ts";
import { EftOrderQuery } from "../../modules/eft-orders/schema.ts";
import { EmailQuery } from "../../modules/emails/schema.ts";
import { EventQuery } from "../../modules/events/schema.ts";
import { GatewayAccountQuery } from "../../modules/gateway-accounts/schema.ts";
import { GatewaySubscriptionQuery } from "../../modules/gateway-subscriptions/schema.ts";
import { InvoiceQuery } from "../../modules/invoices/schema.ts";
import { MandateQuery } from "../../modules/mandates/schema.ts";
import { MemberQuery } from "../../modules/members/schema.ts";
import { PackageQuery } from "../../modules/packages/schema.ts";
import { PaymentLinkQuery } from "../../modules/payment-links/schema.ts";
import { TransactionQuery } from "../../modules/payments/schema.ts";
import { ProductQuery } from "../../modules/products/schema.ts";
import { QuoteQuery } from "../../modules/quotes/schema.ts";
import { AwaitedQuery, ItemQuery, RuleQuery, RunQuery } from "../../modules/reconciliation/schema.ts";
import { RequestQuery } from "../../modules/request-log/schema.ts";
import { MigrationQuery } from "../../modules/subscription-migrations/schema.ts";
import { DeliveryQuery, EndpointQuery } from "../../modules/webhooks/schema.ts";
import { filter } from "../../platform/schema.ts";
import { dateAsked } from "../../platform/schema-dates.ts";
import { csvEndpoint, listEndpoint, PAGING } from "../csv-export.ts";
import type { Endpoint } from "../endpoint.ts";

const day = (what: string) => filter().pipe(dateAsked().optional()).describe(`${what}, a South African day; included.`);
const days = { from: day("The first day"), to: day("The last day") };

/** The exports of records of some days. */
const ofDays = [
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
    "Entries with the sums that they posted to one ledger account as CSV, by the day they occurred",
    z.object({ ...days, account: ledgerAccount() }),
    ledgerCsv,
  ),
];

/** The exports of lists. */
const ofLists = (mails: MailTable) => [
  listEndpoint("quotes", "Quotes", QuoteQuery.omit(PAGING), quotesCsv, "invoicing"),
  listEndpoint("credit-notes", "Credit notes", CreditNoteQuery.omit(PAGING), creditNotesCsv, "invoicing"),
  listEndpoint("payment-links", "Payment links", PaymentLinkQuery.omit(PAGING), paymentLinksCsv, "payment_links"),
  listEndpoint("eft-orders", "EFT orders", EftOrderQuery.omit(PAGING), eftOrdersCsv, "payment_links"),
  listEndpoint("mandates", "Mandates", MandateQuery.omit(PAGING), mandatesCsv, "debit_orders"),
  listEndpoint("debit-batches", "Debit batches", DebitBatchQuery.omit(PAGING), debitBatchesCsv, "debit_orders"),
  listEndpoint(
    "customer-subscriptions",
    "Customer subscriptions",
    CustomerSubscriptionQuery.omit(PAGING),
    customerSubscriptionsCsv,
    "invoicing",
  ),
  listEndpoint(
    "subscription-movements",
    "Movements of the monthly recurring revenue",
    MovementQuery.omit(PAGING),
    movementsCsv,
  ),
  listEndpoint(
    "subscriptions",
    "Subscriptions that gateways run",
    GatewaySubscriptionQuery.omit(PAGING),
    gatewaySubscriptionsCsv,
  ),
  listEndpoint(
    "subscriptions-migrations",
    "Migrations of card subscriptions, without the addresses of their pages,",
    MigrationQuery.omit(PAGING),
    migrationsCsv,
  ),
  listEndpoint("products", "Products", ProductQuery.omit(PAGING), productsCsv),
  listEndpoint("packages", "Packages, a row for each plan,", PackageQuery.omit(PAGING), packagesCsv),
  listEndpoint("coupons", "Coupons", CouponQuery.omit(PAGING), couponsCsv, "coupons"),
  listEndpoint("checkout-sessions", "Checkout sessions", CheckoutSessionQuery.omit(PAGING), checkoutSessionsCsv),
  listEndpoint("reconciliation-items", "Bank lines", ItemQuery.omit(PAGING), bankLinesCsv, "reconciliation"),
  listEndpoint("reconciliation-runs", "Bank statements", RunQuery.omit(PAGING), statementsCsv, "reconciliation"),
  csvEndpoint(
    "reconciliation-awaited",
    "Payments that no statement has shown as CSV, oldest first; with every filter of the list",
    AwaitedQuery.omit(PAGING),
    awaitedCsv,
    "reconciliation",
  ),
  listEndpoint("reconciliation-rules", "Matching rules", RuleQuery.omit(PAGING), rulesCsv, "reconciliation"),
  listEndpoint("emails", "Mails, without their texts,", EmailQuery.omit(PAGING), emailsCsv(mails)),
  listEndpoint("events", "Events, without their data,", EventQuery.omit(PAGING), eventsCsv),
  listEndpoint(
    "webhook-deliveries",
    "Webhook deliveries, each with its last attempt,",
    DeliveryQuery.omit(PAGING),
    deliveriesCsv,
  ),
  listEndpoint("request-log", "Requests of API keys", RequestQuery.omit(PAGING), requestLogCsv),
  listEndpoint("audit-log", "Entries of the audit log", AuditQuery.omit(PAGING), auditLogCsv),
  listEndpoint("members", "Members and open invitations", MemberQuery.omit(PAGING), membersCsv),
  listEndpoint("api-keys", "API keys, without the keys,", ApiKeyQuery.omit(PAGING), apiKeysCsv),
  listEndpoint("webhook-endpoints", "Webhook endpoints", EndpointQuery.omit(PAGING), webhookEndpointsCsv),
  csvEndpoint(
    "gateways",
    "Gateway accounts, without their credentials, as CSV, in the order of the list; with every filter of the list",
    GatewayAccountQuery.omit(PAGING),
    gatewaysCsv,
  ),
];

/** Interface 14.2, exports: all records of a kind as CSV. Those with days are oldest first, the others in the order of their lists. */
export const exportEndpoints = (mails: MailTable): Endpoint[] => [...ofDays, ...ofLists(mails)];
