import { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { requireSubscription } from "../../flows/customer-subscriptions/act-on-subscription.ts";
import {
  type Changed,
  changeSubscription,
  previewChange,
  removePendingChange,
} from "../../flows/customer-subscriptions/change-subscription.ts";
import { createSubscription, planSubscription } from "../../flows/customer-subscriptions/create-subscription.ts";
import { giveCredit, giveDiscount } from "../../flows/customer-subscriptions/give-reduction.ts";
import { planExternal, recordExternal } from "../../flows/customer-subscriptions/record-external.ts";
import { namesCoupon } from "../../flows/customer-subscriptions/subscription-coupon.ts";
import { subscriptionObject } from "../../flows/customer-subscriptions/subscription-object.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { invoiceObject } from "../../flows/invoices/invoice-object.ts";
import { recordsOf } from "../../flows/payments/transaction-record.ts";
import { sum, toRand } from "../../kernel/money.ts";
import { calendarDay, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { regularPrice } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import {
  SubscriptionChange,
  SubscriptionChangePreview,
  SubscriptionCredit,
  SubscriptionDiscount,
} from "../../modules/customer-subscriptions/schema/changes.ts";
import {
  ChangedSubscription,
  CreatedCustomerSubscription,
  CustomerSubscriptionCreate,
  CustomerSubscriptionDryRun,
  CustomerSubscriptionObject,
  CustomerSubscriptionQuery,
  SubscriptionInvoicesQuery,
  SubscriptionPaymentsQuery,
} from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { nextBillingOn, shownStatus } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  listCustomerSubscriptions,
  subscriptionTotals,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { COLLECTION_METHODS, type ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { billView, changePreviewView } from "../../modules/customer-subscriptions/view.ts";
import { reserveNumber } from "../../modules/document-numbers/store.ts";
import { ExternalSubscriptionCreate } from "../../modules/external-periods/schema.ts";
import { InvoiceObject } from "../../modules/invoices/schema.ts";
import { invoicesOfSubscription } from "../../modules/invoices/store/invoices.ts";
import { TransactionObject } from "../../modules/payments/schema.ts";
import { listChargesOfSubscription } from "../../modules/payments/store/payments.ts";
import { transactionView } from "../../modules/payments/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { CUSTOMER_SUBSCRIPTION, INVOICE, TRANSACTION } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listOf, page, withPaymentCursor } from "../lists.ts";

/** What all endpoints about customer subscriptions share. */
export const common = {
  tag: {
    name: "Customer subscriptions",
    about: "What customers pay each period, billed by the service, with the reason of each line.",
  },
  audience: "clients",
  feature: "invoicing",
} as const;
const params = z.object({ id: z.string() });

interface Acted {
  readonly before: ShownSubscription;
  readonly after: ShownSubscription;
}

/** The reply to every action: the subscription. */
export function acted(ctx: Ctx, { before, after }: Acted) {
  const body = subscriptionObject(ctx, after);
  return {
    status: 200,
    body,
    audit: { subject: after.id, before: subscriptionObject(ctx, before), after: body },
  } as const;
}

/** The reply to a change: the subscription, the effect of the change, and the invoice that was made for it at once. */
function changedReply(ctx: Ctx, { preview, invoice, ...both }: Changed) {
  const { body, ...reply } = acted(ctx, both);
  const charge = invoice && {
    invoiceId: invoice.id,
    amount: toRand(invoice.total),
    currency: invoice.currency,
    status: invoice.status,
  };
  return { ...reply, body: { ...body, change: changePreviewView(both.after.id, preview), charge } };
}

/** Customer subscriptions, with their status now. */
const customerSubscriptionsCsv = listExport<ShownSubscription, typeof CustomerSubscriptionQuery>({
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
  list: (tx, query, { now }) => listCustomerSubscriptions(tx, query, calendarDay(now)),
});

/** The endpoints of interface 4.8. */
export const customerSubscriptionEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions",
    summary: "Create a customer subscription, or see what creating it would bill",
    permission: "subscriptions:write",
    idempotent: true,
    gathers: (tx) => reserveNumber(tx, "invoice"),
    // A coupon is locked before the invoice numbers.
    alone: (body) => body.collectionMethod !== "external" && namesCoupon(body),
    body: z.discriminatedUnion(
      "collectionMethod",
      [CustomerSubscriptionCreate, ExternalSubscriptionCreate],
      `must be one of ${COLLECTION_METHODS.join(", ")}`,
    ),
    replies: {
      200: z.union([CreatedCustomerSubscription, CustomerSubscriptionDryRun]),
      201: CreatedCustomerSubscription,
    },
    async preview({ ctx, body }, tx) {
      const { action, subscription, invoice, nextInvoice } =
        body.collectionMethod === "external"
          ? { ...(await planExternal(tx, ctx, body)), invoice: null, nextInvoice: null }
          : await planSubscription(tx, ctx, body);
      const shown = subscriptionObject(ctx, subscription, action === "create");
      const preview = { invoice: invoice && billView(invoice), nextInvoice: nextInvoice && billView(nextInvoice) };
      return { status: 200, body: { dryRun: true, action, subscription: shown, preview } };
    },
    async handle({ ctx, body }, tx) {
      const { subscription, created } =
        body.collectionMethod === "external"
          ? await recordExternal(tx, ctx, body)
          : await createSubscription(tx, ctx, body);
      const view = subscriptionObject(ctx, subscription);
      return {
        status: created ? 201 : 200,
        body: { ...view, created },
        audit: { subject: subscription.id, after: created ? view : null },
      };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions",
    expands: CUSTOMER_SUBSCRIPTION,
    summary: "Find customer subscriptions, newest first",
    permission: "subscriptions:read",
    query: CustomerSubscriptionQuery,
    replies: { 200: listOf(CustomerSubscriptionObject) },
    async handle({ ctx, query }, tx) {
      const today = calendarDay(ctx.now);
      const { items, ...paging } = await page(query, (wanted) => listCustomerSubscriptions(tx, wanted, today));
      return { status: 200, body: { data: items.map((one) => subscriptionObject(ctx, one)), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}",
    expands: CUSTOMER_SUBSCRIPTION,
    summary: "Get a customer subscription",
    permission: "subscriptions:read",
    params,
    replies: { 200: CustomerSubscriptionObject },
    async handle({ ctx, params: { id } }, tx) {
      const found = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
      return { status: 200, body: subscriptionObject(ctx, found) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}/invoices",
    expands: INVOICE,
    summary: "List the invoices of a customer subscription, newest first, with the reason of each line",
    permission: "subscriptions:read",
    also: ["invoices:read"],
    params,
    query: SubscriptionInvoicesQuery,
    replies: { 200: listOf(InvoiceObject) },
    async handle({ ctx, params: { id }, query }, tx) {
      const found = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
      const { items, ...paging } = await page(query, (wanted) => invoicesOfSubscription(tx, found.id, wanted));
      return { status: 200, body: { data: items.map((one) => invoiceObject(ctx, one)), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}/payments",
    expands: TRANSACTION,
    summary: "List the payments of a customer subscription, newest first",
    permission: "subscriptions:read",
    also: ["transactions:read"],
    params,
    query: SubscriptionPaymentsQuery,
    replies: { 200: listOf(TransactionObject) },
    async handle({ ctx, params: { id }, query }, tx) {
      const found = requireSubscription(await findCustomerSubscription(tx, id, calendarDay(ctx.now)));
      const { items, ...paging } = await page(await withPaymentCursor(tx, query), (wanted) =>
        listChargesOfSubscription(tx, found.id, wanted),
      );
      return { status: 200, body: { data: (await recordsOf(tx, ctx, items)).map(transactionView), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/discount",
    operationId: "addCustomerSubscriptionDiscount",
    summary: "Give a customer subscription a discount on its next bill",
    permission: "subscriptions:write",
    idempotent: true,
    params,
    body: SubscriptionDiscount,
    replies: { 200: CustomerSubscriptionObject },
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await giveDiscount(tx, ctx, id, body)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/credit",
    operationId: "addCustomerSubscriptionCredit",
    summary: "Give a customer subscription a credit, which its next bills use up",
    permission: "subscriptions:write",
    idempotent: true,
    params,
    body: SubscriptionCredit,
    replies: { 200: CustomerSubscriptionObject },
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await giveCredit(tx, ctx, id, body)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/preview-change",
    summary: "See what a change of plan, quantity or items would do and cost",
    permission: "subscriptions:read",
    onlyReads: true,
    params,
    body: SubscriptionChange,
    replies: { 200: SubscriptionChangePreview },
    async handle({ ctx, params: { id }, body }, tx) {
      const { subscription, preview } = await previewChange(tx, ctx, id, body);
      return { status: 200, body: changePreviewView(subscription.id, preview) };
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/change-plan",
    edits: true,
    summary: "Change plan, quantity or items of a customer subscription",
    permission: "subscriptions:write",
    idempotent: true,
    params,
    body: SubscriptionChange,
    replies: { 200: ChangedSubscription },
    handle: async ({ ctx, params: { id }, body }, tx) => changedReply(ctx, await changeSubscription(tx, ctx, id, body)),
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/customer-subscriptions/{id}/pending-change",
    operationId: "cancelCustomerSubscriptionChange",
    summary: "Remove the change that waits for the next renewal",
    permission: "subscriptions:write",
    params,
    replies: { 200: CustomerSubscriptionObject },
    handle: async ({ ctx, params: { id } }, tx) => acted(ctx, await removePendingChange(tx, ctx, id)),
  }),
  totalsEndpoint("customer-subscriptions", {
    what: "subscriptions",
    permission: "subscriptions:read",
    feature: "invoicing",
    query: CustomerSubscriptionQuery.omit(PAGING),
    sums: ["mrr"],
    read: (tx, ctx, query, countTo) => subscriptionTotals(tx, query, calendarDay(ctx.now), countTo),
  }),
  listEndpoint(
    "customer-subscriptions",
    "Customer subscriptions",
    "subscriptions:read",
    CustomerSubscriptionQuery.omit(PAGING),
    customerSubscriptionsCsv,
    "invoicing",
  ),
];
