import { sum } from "../../kernel/money.ts";
import { businessDay, startOfDay, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { CreditNoteQuery } from "../../modules/credit-notes/schema.ts";
import { listCreditNotes } from "../../modules/credit-notes/store.ts";
import type { CreditNote } from "../../modules/credit-notes/types.ts";
import { regularPrice } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import type { CustomerSubscriptionQuery, MovementQuery } from "../../modules/customer-subscriptions/schema.ts";
import { nextBillingOn, shownStatus } from "../../modules/customer-subscriptions/states.ts";
import { listMovements } from "../../modules/customer-subscriptions/store/movements.ts";
import { listCustomerSubscriptions } from "../../modules/customer-subscriptions/store.ts";
import type { Movement, ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { DebitBatchQuery } from "../../modules/debit-batches/schema.ts";
import { listDebitBatches } from "../../modules/debit-batches/store.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import type { EftOrderQuery } from "../../modules/eft-orders/schema.ts";
import { asOf } from "../../modules/eft-orders/states.ts";
import { listEftOrders } from "../../modules/eft-orders/store.ts";
import type { EftOrderRecord } from "../../modules/eft-orders/types.ts";
import type { GatewaySubscriptionQuery } from "../../modules/gateway-subscriptions/schema.ts";
import { listGatewaySubscriptions } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import type { MandateQuery } from "../../modules/mandates/schema.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { listMandates } from "../../modules/mandates/store.ts";
import type { MandateRecord } from "../../modules/mandates/types.ts";
import type { PaymentLinkQuery } from "../../modules/payment-links/schema.ts";
import { listLinksWithPayments } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { statusAt } from "../../modules/quotes/rules.ts";
import type { QuoteQuery } from "../../modules/quotes/schema.ts";
import { listQuotes } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { MigrationQuery } from "../../modules/subscription-migrations/schema.ts";
import { listMigrations } from "../../modules/subscription-migrations/store.ts";
import type { SubscriptionMigration } from "../../modules/subscription-migrations/types.ts";
import { withNamed } from "../search/named-by.ts";
import { listExport } from "./csv-export.ts";

/* Exports of lists of documents, future payments and subscriptions. */

/** Quotes, with their status now. */
export const quotesCsv = listExport<Quote, typeof QuoteQuery>({
  columns: {
    id: (row) => row.id,
    number: (row) => row.number,
    status: (row) => row.status,
    customerId: (row) => row.customer.id,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    currency: (row) => row.currency,
    issueDate: (row) => row.issueDate,
    expiryDate: (row) => row.expiryDate,
    subtotal: (row) => row.subtotal,
    taxAmount: (row) => row.tax,
    total: (row) => row.total,
    invoiceId: (row) => row.invoice?.id ?? null,
    sentAt: (row) => toTimestampOrNull(row.sentAt),
    acceptedAt: (row) => toTimestampOrNull(row.acceptedAt),
    declinedAt: (row) => toTimestampOrNull(row.declinedAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  async list(tx, query, { now }) {
    const quotes = await listQuotes(tx, await withNamed(tx, query), businessDay(now));
    return quotes.map((quote) => ({ ...quote, status: statusAt(quote, now) }));
  },
});

/** Credit notes. */
export const creditNotesCsv = listExport<CreditNote, typeof CreditNoteQuery>({
  columns: {
    id: (row) => row.id,
    number: (row) => row.number,
    status: (row) => row.status,
    customerId: (row) => row.customerId,
    invoiceId: (row) => row.correctsInvoiceId,
    transactionReference: (row) => row.transactionReference,
    currency: (row) => row.currency,
    taxAmount: (row) => row.tax,
    amount: (row) => row.amount,
    remaining: (row) => row.remaining,
    reason: (row) => row.reason,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listCreditNotes(tx, await withNamed(tx, query)),
});

/** Payment links, without their addresses, which give access to the payment. */
export const paymentLinksCsv = listExport<PaymentLink, typeof PaymentLinkQuery>({
  columns: {
    id: (row) => row.id,
    title: (row) => row.title,
    description: (row) => row.description,
    active: (row) => String(row.active),
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    frequency: (row) => row.recurring?.frequency ?? null,
    singleUse: (row) => String(row.singleUse),
    paidCount: (row) => String(row.paidCount),
    customerId: (row) => row.customerId,
    invoiceId: (row) => row.invoiceId,
    externalReference: (row) => row.externalReference,
    expiresAt: (row) => toTimestampOrNull(row.expiresAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listLinksWithPayments(tx, await withNamed(tx, query), 0),
});

/** EFT orders, with their status now. */
export const eftOrdersCsv = listExport<EftOrderRecord, typeof EftOrderQuery>({
  columns: {
    id: (row) => row.id,
    reference: (row) => row.reference,
    status: (row) => row.status,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    description: (row) => row.description,
    customerId: (row) => row.customerId,
    payerEmail: (row) => row.payerEmail,
    externalReference: (row) => row.externalReference,
    proofs: (row) => String(row.proofs.length),
    rejectionReason: (row) => row.rejectionReason,
    expiresAt: (row) => toTimestamp(row.expiresAt),
    reviewedAt: (row) => toTimestampOrNull(row.reviewedAt),
    paidAt: (row) => toTimestampOrNull(row.paidAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  async list(tx, query, { now }) {
    const orders = await listEftOrders(tx, await withNamed(tx, query), now);
    return orders.map((order) => asOf(order, now));
  },
});

/** Mandates, with the last digits of the account number only. */
export const mandatesCsv = listExport<MandateRecord, typeof MandateQuery>({
  columns: {
    id: (row) => row.id,
    accountReference: (row) => row.accountReference,
    status: (row) => row.status,
    stage: (row) => stageOf(row),
    customerId: (row) => row.customerId,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    subscriptionId: (row) => row.subscriptionId,
    description: (row) => row.description,
    amount: (row) => row.amount,
    currency: () => MANDATE_CURRENCY,
    frequency: (row) => row.frequency,
    debitDay: (row) => String(row.debitDay),
    startDate: (row) => row.startDate,
    endDate: (row) => row.endDate,
    nextDebitDate: (row) => row.nextDebitDate,
    lastCollectedAt: (row) => row.lastCollectedAt,
    failureCount: (row) => String(row.failureCount),
    accountHolder: (row) => row.bank.accountHolder,
    accountNumberLast4: (row) => row.bank.accountNumberLast4,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listMandates(tx, await withNamed(tx, query)),
});

/** Customer subscriptions, with their status now. */
export const customerSubscriptionsCsv = listExport<ShownSubscription, typeof CustomerSubscriptionQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => shownStatus(row),
    customerId: (row) => row.customer.id,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    planId: (row) => row.plan.id,
    planName: (row) => row.plan.name,
    packageName: (row) => row.plan.packageName,
    collectionMethod: (row) => row.collectionMethod,
    billingPeriod: (row) => row.state.terms.price.frequency,
    amount: (row) => regularPrice(row.state.terms).amount,
    quantity: (row) => String(row.state.terms.quantity),
    currency: (row) => row.state.terms.price.currency,
    startDate: (row) => row.state.startsOn,
    nextBillingDate: (row) => nextBillingOn(row),
    credit: (row) => sum(row.state.credits.map(({ amount }) => amount)),
    externalReference: (row) => row.externalReference,
    cancelReason: (row) => row.cancelReason,
    pausedAt: (row) => toTimestampOrNull(row.pausedAt),
    cancelledAt: (row) => toTimestampOrNull(row.cancelledAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: (tx, query, { now }) => listCustomerSubscriptions(tx, query, businessDay(now)),
});

/** Subscriptions that gateways run, without the tokens of their cards. */
export const gatewaySubscriptionsCsv = listExport<GatewaySubscription, typeof GatewaySubscriptionQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => row.status,
    description: (row) => row.description,
    frequency: (row) => row.frequency,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    gateway: (row) => row.gatewayType,
    paymentLinkId: (row) => row.paymentLinkId,
    customerId: (row) => row.customerId,
    payerEmail: (row) => row.payerEmail,
    externalReference: (row) => row.externalReference,
    nextChargeDate: (row) => row.nextChargeOn,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: async (tx, query) => listGatewaySubscriptions(tx, await withNamed(tx, query)),
});

/** Movements of the monthly recurring revenue. */
export const movementsCsv = listExport<Movement, typeof MovementQuery>({
  columns: {
    id: (row) => row.id,
    kind: (row) => row.kind,
    subscriptionId: (row) => row.subscriptionId,
    customerId: (row) => row.customer.id,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    happenedAt: (row) => toTimestamp(row.happenedAt),
  },
  list: async (tx, { from, ...query }) => listMovements(tx, await withNamed(tx, query), from && startOfDay(from)),
});

/** Debit batches. */
export const debitBatchesCsv = listExport<DebitBatch, typeof DebitBatchQuery>({
  columns: {
    id: (row) => row.id,
    actionDate: (row) => row.actionDate,
    movedFrom: (row) => row.movedFrom,
    status: (row) => row.status,
    gateway: (row) => row.gatewayAccountId,
    count: (row) => String(row.debits),
    amount: (row) => row.amount,
    currency: () => MANDATE_CURRENCY,
    problem: (row) => row.problem,
    submittedAt: (row) => toTimestampOrNull(row.submittedAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: listDebitBatches,
});

/** Migrations of card subscriptions, without the addresses of the pages on which payers confirm their cards. */
export const migrationsCsv = listExport<SubscriptionMigration, typeof MigrationQuery>({
  columns: {
    id: (row) => row.id,
    legacyReference: (row) => row.legacyReference,
    payerName: (row) => row.payerName,
    email: (row) => row.email,
    amount: (row) => row.amount,
    frequency: (row) => row.frequency,
    nextDate: (row) => row.nextDate,
    status: (row) => row.status,
    subscriptionId: (row) => row.subscription.id,
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  list: listMigrations,
});
