import { allowedReturnUrlEndpoints } from "./dashboard/allowed-return-urls.ts";
import { apiKeyEndpoints } from "./dashboard/api-keys.ts";
import { auditLogEndpoints } from "./dashboard/audit-log.ts";
import { staffCreditNoteEndpoints } from "./dashboard/credit-notes.ts";
import { staffEftOrderEndpoints } from "./dashboard/eft-orders.ts";
import { emailEndpoints } from "./dashboard/emails.ts";
import { eventEndpoints } from "./dashboard/events.ts";
import { exportEndpoints } from "./dashboard/exports.ts";
import { gatewayEndpoints } from "./dashboard/gateways.ts";
import { staffInvoiceEndpoints } from "./dashboard/invoices.ts";
import { memberEndpoints } from "./dashboard/members.ts";
import { staffPaymentLinkEndpoints } from "./dashboard/payment-links.ts";
import { productEndpoints } from "./dashboard/products.ts";
import { staffQuoteEndpoints } from "./dashboard/quotes.ts";
import { sandboxEndpoints } from "./dashboard/sandbox.ts";
import { settingsEndpoints } from "./dashboard/settings.ts";
import { testClockEndpoints } from "./dashboard/test-clock.ts";
import { staffTransactionEndpoints } from "./dashboard/transactions.ts";
import { webhookEndpoints } from "./dashboard/webhooks.ts";
import type { Endpoint } from "./endpoint.ts";
import { creditNoteEndpoints } from "./resources/credit-notes.ts";
import { customerEndpoints } from "./resources/customers.ts";
import { eftOrderEndpoints } from "./resources/eft-orders.ts";
import { invoiceEndpoints } from "./resources/invoices.ts";
import { meEndpoints } from "./resources/me.ts";
import { paymentLinkEndpoints } from "./resources/payment-links.ts";
import { quoteEndpoints } from "./resources/quotes.ts";
import { transactionEndpoints } from "./resources/transactions.ts";

/** The client API, below `/api/v1` (spec part 4). */
export const CLIENT_ENDPOINTS: readonly Endpoint[] = [
  ...meEndpoints,
  ...paymentLinkEndpoints,
  ...transactionEndpoints,
  ...invoiceEndpoints,
  ...creditNoteEndpoints,
  ...customerEndpoints,
  ...quoteEndpoints,
  ...eftOrderEndpoints,
];

/** The dashboard's API, below `/dashboard/api` (contract 5): the same resources by the same code, and what only staff may do. */
export const DASHBOARD_ENDPOINTS: readonly Endpoint[] = [
  ...CLIENT_ENDPOINTS,
  ...staffPaymentLinkEndpoints,
  ...staffTransactionEndpoints,
  ...staffInvoiceEndpoints,
  ...staffCreditNoteEndpoints,
  ...staffQuoteEndpoints,
  ...staffEftOrderEndpoints,
  ...productEndpoints,
  ...settingsEndpoints,
  ...allowedReturnUrlEndpoints,
  ...apiKeyEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
  ...gatewayEndpoints,
  ...memberEndpoints,
  ...emailEndpoints,
  ...auditLogEndpoints,
  ...exportEndpoints,
  ...testClockEndpoints,
  ...sandboxEndpoints,
];
