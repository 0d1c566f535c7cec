import { z } from "zod";
import { DocumentPreviewObject, taxInvoiceReply } from "../../domain/schema.ts";
import type { Ctx } from "../../flows/context.ts";
import { cancelInvoiceOfSubscription } from "../../flows/customer-subscriptions/cancel-invoice-of-subscription.ts";
import {
  applyCreditToInvoice,
  recordPaymentOfInvoice,
} from "../../flows/customer-subscriptions/record-payment-of-invoice.ts";
import { invoiceFile, taxInvoiceCheck } from "../../flows/documents/invoice-file.ts";
import { PDF } from "../../flows/documents/parties.ts";
import { type InvoicePreview, previewInvoiceChange, previewNewInvoice } from "../../flows/documents/preview-invoice.ts";
import { viewTimesOf } from "../../flows/documents/record-view.ts";
import type { ExportQuery } from "../../flows/exports/csv-export.ts";
import { csvExport } from "../../flows/exports/csv-export.ts";
import { changeInvoice, refuseDeletion } from "../../flows/invoices/change-invoice.ts";
import { createInvoice } from "../../flows/invoices/create-invoice.ts";
import { duplicateInvoice } from "../../flows/invoices/duplicate-invoice.ts";
import { invoiceObject } from "../../flows/invoices/invoice-object.ts";
import { readInvoicePayments } from "../../flows/invoices/invoice-payments.ts";
import { invoiceSpans } from "../../flows/invoices/invoice-spans.ts";
import { previewSend } from "../../flows/invoices/preview-send.ts";
import { sendInvoice } from "../../flows/invoices/send-invoice.ts";
import { undoRecordedPayment } from "../../flows/invoices/take-back-payment.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import type { Services } from "../../flows/services.ts";
import { notFound } from "../../kernel/errors.ts";
import { inRand } from "../../kernel/exchange.ts";
import { ZERO } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { reserveNumber } from "../../modules/document-numbers/store.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import {
  CreditApplicationCreate,
  InvoiceCancel,
  InvoiceCreate,
  InvoiceObject,
  InvoicePatch,
  InvoicePaymentsObject,
  InvoiceQuery,
  InvoiceSend,
  InvoiceSendPreviewObject,
  InvoiceSendPreviewQuery,
  OfflinePaymentCreate,
} from "../../modules/invoices/schema.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { exportInvoices, INVOICE_SORTS, invoiceTotals, listInvoices } from "../../modules/invoices/store/list.ts";
import type { Invoice, InvoiceHead } from "../../modules/invoices/types.ts";
import { csvEndpoint, EXPORT_DAYS, PAGING } from "../csv-export.ts";
import { downloadEndpoint, endpoint, ownTransactionsEndpoint, type Reply } from "../endpoint.ts";
import { INVOICE } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listBody, listOf, page } from "../lists.ts";
import { payPagePreview } from "../pages/pay/preview.ts";
import { changed, created, previewBody } from "../replies.ts";

const common = {
  tag: { name: "Invoices", about: "What customers owe, with its VAT, and how it is paid." },
  feature: "invoicing",
} as const;
const params = z.object({ id: z.string() });
const paymentParams = z.object({ id: z.string(), paymentId: z.string() });

/** The reply to a change of an invoice. */
function changedInvoice(ctx: Ctx, { before, after }: { before: Invoice; after: Invoice }): Reply {
  return changed(invoiceObject(ctx, before), invoiceObject(ctx, after));
}

const previewReply = (ctx: Ctx, services: Services, preview: InvoicePreview): Reply => ({
  status: 200,
  body: previewBody(preview, preview.canBePaidOnline ? payPagePreview(ctx, { ...preview, ...services }) : null),
});

const time = (value: Instant | null): string | null => value && toTimestamp(value);

/** Invoices, by their issue date. */
const invoicesCsv = csvExport<InvoiceHead, ExportQuery<typeof InvoiceQuery>>({
  columns: {
    id: (row) => row.id,
    number: (row) => row.number,
    status: (row) => row.status,
    externalReference: (row) => row.externalReference,
    customerId: (row) => row.customer.id,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    currency: (row) => row.currency,
    issueDate: (row) => row.issueDate,
    dueDate: (row) => row.dueDate,
    subtotal: (row) => row.subtotal,
    taxAmount: (row) => row.tax,
    total: (row) => row.total,
    amountPaid: (row) => row.paid,
    amountDue: (row) => (row.status === "cancelled" ? ZERO : amountDue(row)),
    sentAt: (row) => time(row.sentAt),
    paidAt: (row) => time(row.paidAt),
    createdAt: (row) => time(row.createdAt),
    exchangeRate: ({ exchange }) => exchange?.rate ?? null,
    exchangeDate: ({ exchange }) => exchange?.date ?? null,
    exchangeSource: ({ exchange }) => exchange?.source ?? null,
    taxAmountZar: ({ exchange, tax }) => exchange && inRand(tax, exchange),
    totalZar: ({ exchange, total }) => exchange && inRand(total, exchange),
  },
  read: async (tx, { limit, after, days }, { from: _from, to: _to, missed, owing, ...filter }, ctx) =>
    exportInvoices(
      tx,
      { ...(await withNamed(tx, filter)), limit, after, ...days },
      invoiceSpans(ctx, { missed, owing }),
    ),
  keyOf: ({ id }) => id,
});

/** The endpoints of interface 4.5; staff have further filters and actions. */
export const invoiceEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/invoices",
    summary: "Create an invoice",
    permission: "invoices:write",
    idempotent: true,
    gathers: (tx) => reserveNumber(tx, "invoice"),
    body: InvoiceCreate,
    replies: { 200: InvoiceObject, 201: InvoiceObject },
    async handle({ ctx, body }, tx) {
      const { invoice, created } = await createInvoice(tx, ctx, body);
      const view = invoiceObject(ctx, invoice);
      return { status: created ? 201 : 200, body: view, audit: { subject: invoice.id, after: created ? view : null } };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/invoices",
    expands: INVOICE,
    summary: "List invoices, newest first",
    permission: "invoices:read",
    query: InvoiceQuery,
    sorts: INVOICE_SORTS,
    replies: { 200: listOf(InvoiceObject) },
    async handle({ ctx, query: { missed, owing, ...query } }, tx) {
      const spans = invoiceSpans(ctx, { missed, owing });
      const { items, ...paging } = await page(
        await withNamed(tx, query),
        (wanted) => listInvoices(tx, wanted, spans),
        INVOICE_SORTS,
      );
      const times = await viewTimesOf(tx, ctx, items);
      const data = items.map((invoice) => ({ ...invoiceObject(ctx, invoice), ...times(invoice) }));
      return { status: 200, body: listBody(data, paging) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/invoices/{id}",
    expands: INVOICE,
    summary: "Get an invoice",
    permission: "invoices:read",
    params,
    replies: { 200: InvoiceObject },
    async handle({ ctx, params: { id } }, tx) {
      const invoice = await findInvoice(tx, id);
      if (!invoice) throw notFound("invoice");
      const times = await viewTimesOf(tx, ctx, [invoice]);
      return { status: 200, body: { ...invoiceObject(ctx, invoice), ...times(invoice) } };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "PATCH",
    path: "/invoices/{id}",
    edits: true,
    summary: "Edit a draft",
    permission: "invoices:write",
    params,
    body: InvoicePatch,
    replies: { 200: InvoiceObject },
    async handle({ ctx, params: { id }, body }, tx) {
      return changedInvoice(ctx, await changeInvoice(tx, ctx, id, body));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "DELETE",
    path: "/invoices/{id}",
    summary: "Always refused: an invoice has its number from its creation, so cancel it instead",
    permission: "invoices:write",
    params,
    replies: { 200: InvoiceObject },
    handle: ({ params: { id } }, tx) => refuseDeletion(tx, id),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/invoices/{id}/duplicate",
    summary: "Create a draft like an invoice, dated today",
    permission: "invoices:write",
    idempotent: true,
    gathers: (tx) => reserveNumber(tx, "invoice"),
    params,
    replies: { 201: InvoiceObject },
    async handle({ ctx, params: { id } }, tx) {
      return created(invoiceObject(ctx, await duplicateInvoice(tx, ctx, id)));
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/invoices/preview",
    operationId: "previewInvoice",
    summary: "Show what a customer would get of a new invoice, without creating it",
    permission: "invoices:write",
    body: InvoiceCreate,
    replies: { 200: DocumentPreviewObject },
    run: async ({ ctx, services, body }) => previewReply(ctx, services, await previewNewInvoice(services, ctx, body)),
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/invoices/{id}/preview",
    operationId: "previewInvoiceChange",
    summary: "Show what a customer would get of a changed draft, without changing it",
    permission: "invoices:write",
    params,
    body: InvoicePatch,
    replies: { 200: DocumentPreviewObject },
    run: async ({ ctx, services, params: { id }, body }) =>
      previewReply(ctx, services, await previewInvoiceChange(services, ctx, id, body)),
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/invoices/{id}/pdf",
    summary: "Download an invoice as a PDF",
    permission: "invoices:read",
    params,
    media: PDF,
    download: ({ ctx, services, params: { id } }) => invoiceFile(services, ctx, id),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/invoices/{id}/send",
    summary: "Mail an invoice to its customer, with a pay link",
    permission: "invoices:write",
    idempotent: true,
    params,
    body: InvoiceSend.default({ issueToday: false }),
    replies: { 200: InvoiceObject },
    async handle({ ctx, params: { id }, body }, tx) {
      return changedInvoice(ctx, await sendInvoice(tx, ctx, id, body));
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/invoices/{id}/send-preview",
    summary: "What sending an invoice would do, computed without doing it",
    permission: "invoices:read",
    params,
    query: InvoiceSendPreviewQuery,
    replies: { 200: InvoiceSendPreviewObject },
    run: async ({ ctx, services, params: { id }, query }) => ({
      status: 200,
      body: await previewSend(services, ctx, id, { issueToday: query.issueToday === "true" }),
    }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/invoices/{id}/payments",
    summary: "List what was paid on an invoice, and how much of it can still be disputed",
    permission: "invoices:read",
    params,
    replies: { 200: InvoicePaymentsObject },
    handle: async ({ ctx, params: { id } }, tx) => ({ status: 200, body: await readInvoicePayments(tx, ctx, id) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/invoices/{id}/payments",
    summary: "Record a payment that was made outside of the service",
    permission: "transactions:write",
    // decisions.md#recording-money-is-not-invoicing
    scope: "invoices:write",
    idempotent: true,
    params,
    body: OfflinePaymentCreate,
    replies: { 201: InvoiceObject },
    moves: async ({ body }) => body.amount,
    async handle(call, tx) {
      const { ctx, params: given, body } = call;
      const paid = await recordPaymentOfInvoice(tx, ctx, given.id, body);
      return { ...changedInvoice(ctx, paid), status: 201 };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/invoices/{id}/credit-applications",
    operationId: "applyCredit",
    summary: "Pay an invoice from its customer's credit of overpayments and cancelled invoices",
    permission: "transactions:write",
    // decisions.md#recording-money-is-not-invoicing
    scope: "invoices:write",
    idempotent: true,
    params,
    body: CreditApplicationCreate.default({ amount: null }),
    replies: { 201: InvoiceObject },
    moves: async ({ params: { id }, body }, tx) => body.amount ?? (await findInvoice(tx, id))?.total ?? null,
    async handle({ ctx, params: { id }, body }, tx) {
      return { ...changedInvoice(ctx, await applyCreditToInvoice(tx, ctx, id, body)), status: 201 };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "DELETE",
    path: "/invoices/{id}/payments/{paymentId}",
    summary: "Undo a payment that was recorded by mistake",
    permission: "transactions:write",
    scope: "invoices:write",
    params: paymentParams,
    replies: { 200: InvoiceObject },
    async handle({ ctx, params: { id, paymentId } }, tx) {
      return changedInvoice(ctx, await undoRecordedPayment(tx, ctx, id, paymentId));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/invoices/{id}/cancel",
    summary: "Cancel an invoice",
    permission: "invoices:write",
    idempotent: true,
    params,
    body: InvoiceCancel,
    replies: { 200: InvoiceObject },
    moves: async ({ params: { id } }, tx) => (await findInvoice(tx, id))?.total ?? null,
    async handle(call, tx) {
      const { ctx, params: given, body } = call;
      return changedInvoice(ctx, await cancelInvoiceOfSubscription(tx, ctx, given.id, body.reason));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/invoices/{id}/tax-invoice",
    summary: "Tell whether an invoice is a tax invoice, and what is missing and where it is set",
    permission: "invoices:read",
    params,
    replies: { 200: taxInvoiceReply() },
    async handle({ ctx, params: { id } }, tx) {
      return { status: 200, body: await taxInvoiceCheck(tx, ctx, id) };
    },
  }),
  totalsEndpoint("invoices", {
    what: "invoices",
    permission: "invoices:read",
    feature: "invoicing",
    query: InvoiceQuery.omit(PAGING),
    sums: ["total", "amountDue"],
    read: async (tx, ctx, { missed, owing, ...query }, countTo) =>
      invoiceTotals(tx, await withNamed(tx, query), invoiceSpans(ctx, { missed, owing }), countTo),
  }),
  csvEndpoint(
    "invoices",
    "Invoices as CSV, by their issue date; with every filter of the list",
    "invoices:read",
    InvoiceQuery.omit(PAGING).extend(EXPORT_DAYS),
    invoicesCsv,
  ),
];
