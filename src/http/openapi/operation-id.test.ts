import assert from "node:assert/strict";
import { test } from "node:test";
import { operationId } from "./operation-id.ts";

const ROWS: [method: string, path: string, list: boolean, expected: string][] = [
  ["GET", "/payment-links", true, "listPaymentLinks"],
  ["POST", "/payment-links", false, "createPaymentLink"],
  ["GET", "/payment-links/{id}", false, "getPaymentLink"],
  ["POST", "/payment-links/{id}/deactivate", false, "deactivatePaymentLink"],
  ["PATCH", "/customers/{id}", false, "updateCustomer"],
  ["DELETE", "/api-keys/{id}", false, "deleteApiKey"],
  ["GET", "/customers/{id}/standing", false, "getCustomerStanding"],
  ["POST", "/customers/{id}/portal-link", false, "createCustomerPortalLink"],
  ["GET", "/customers/{id}/payment-methods", true, "listCustomerPaymentMethods"],
  ["GET", "/me", false, "getMe"],
  ["GET", "/settings", false, "getSettings"],
  ["PATCH", "/settings", false, "updateSettings"],
  ["PUT", "/allowed-return-urls", false, "replaceAllowedReturnUrls"],
  ["GET", "/debit-batches/{id}", false, "getDebitBatch"],
  ["GET", "/quotes/{id}", false, "getQuote"],
  ["GET", "/audit-log", true, "listAuditLog"],
  ["GET", "/exports/journal.csv", false, "exportJournal"],
  ["POST", "/webhook-deliveries/{id}/resend", false, "resendWebhookDelivery"],
  ["POST", "/invoices/{id}/payments", false, "createInvoicePayment"],
  ["POST", "/webhook-endpoints/{id}/rotate-secret", false, "rotateWebhookEndpointSecret"],
  ["POST", "/debit-batches/{id}/send-again", false, "sendDebitBatchAgain"],
  ["POST", "/subscriptions/migrations/{id}/cancel", false, "cancelSubscriptionMigration"],
  ["GET", "/exports/{software}/journal.csv", false, "exportJournalForSoftware"],
  ["POST", "/sandbox/notify", false, "notifySandbox"],
];
for (const [method, path, list, expected] of ROWS)
  test(`${method} ${path} is ${expected}`, () => assert.equal(operationId(method, path, list), expected));
