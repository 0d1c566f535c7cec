import type { Resource } from "../components/resource.ts";
import {
  accountingMonths,
  accountingSoftware,
  agedDebtors,
  referralLinks,
  vatReturn,
} from "../resources/accounting/routes.ts";
import { returnUrls } from "../resources/allowed-return-urls/routes.ts";
import { apiKeys } from "../resources/api-keys/routes.ts";
import { auditLog } from "../resources/audit-log/routes.ts";
import { checkoutPages } from "../resources/checkout-pages/routes.ts";
import { checkoutSessions } from "../resources/checkout-sessions/routes.ts";
import { coupons } from "../resources/coupons/routes.ts";
import { creditNotes } from "../resources/credit-notes/routes.ts";
import { customerSubscriptions } from "../resources/customer-subscriptions/routes.ts";
import { customers } from "../resources/customers/routes.ts";
import { debitBatches } from "../resources/debit-batches/routes.ts";
import { disputes } from "../resources/disputes/routes.ts";
import { eftOrders } from "../resources/eft-orders/routes.ts";
import { emails } from "../resources/emails/routes.ts";
import { events } from "../resources/events/routes.ts";
import { gatewaySubscriptions } from "../resources/gateway-subscriptions/routes.ts";
import { gateways } from "../resources/gateways/routes.ts";
import { invoices } from "../resources/invoices/routes.ts";
import { mandates } from "../resources/mandates/routes.ts";
import { members } from "../resources/members/routes.ts";
import { messages } from "../resources/messages/routes.ts";
import { messaging } from "../resources/messaging/routes.ts";
import { packages } from "../resources/packages/routes.ts";
import { paymentLinks } from "../resources/payment-links/routes.ts";
import { products } from "../resources/products/routes.ts";
import { quotes } from "../resources/quotes/routes.ts";
import { receipts } from "../resources/receipts/routes.ts";
import {
  awaitedMoney,
  bankLines,
  matchingRules,
  payouts,
  statements,
  toMatch,
} from "../resources/reconciliation/routes.ts";
import { attemptsReport, conversionReport, paymentReport, subscriptionReport } from "../resources/reports/routes.ts";
import { requestLog } from "../resources/request-log/routes.ts";
import { roles } from "../resources/roles/routes.ts";
import { sandbox } from "../resources/sandbox/routes.ts";
import { setUp } from "../resources/set-up/routes.ts";
import { settings } from "../resources/settings/routes.ts";
import { subscriptionMovements } from "../resources/subscription-movements/routes.ts";
import { transactions } from "../resources/transactions/routes.ts";
import { unpaidDebits } from "../resources/unpaid-debits/routes.ts";
import { webhookDeliveries } from "../resources/webhook-deliveries/routes.ts";
import { webhookEndpoints } from "../resources/webhook-endpoints/routes.ts";

/** Every resource of the dashboard, in the order of the tabs of their entries. */
export const RESOURCES: readonly Resource[] = [
  invoices,
  creditNotes,
  quotes,
  paymentLinks,
  checkoutSessions,
  conversionReport,
  customerSubscriptions,
  subscriptionReport,
  gatewaySubscriptions,
  subscriptionMovements,
  debitBatches,
  mandates,
  unpaidDebits,
  transactions,
  eftOrders,
  disputes,
  payouts,
  toMatch,
  bankLines,
  statements,
  awaitedMoney,
  matchingRules,
  receipts,
  paymentReport,
  attemptsReport,
  agedDebtors,
  vatReturn,
  accountingMonths,
  accountingSoftware,
  customers,
  emails,
  messages,
  products,
  packages,
  coupons,
  apiKeys,
  webhookEndpoints,
  webhookDeliveries,
  events,
  requestLog,
  returnUrls,
  sandbox,
  settings,
  setUp,
  gateways,
  messaging,
  checkoutPages,
  members,
  roles,
  referralLinks,
  auditLog,
];
