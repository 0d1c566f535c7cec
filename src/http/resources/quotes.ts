import { z } from "zod";
import { DocumentPreviewObject } from "../../domain/schema.ts";
import type { Ctx } from "../../flows/context.ts";
import { PDF } from "../../flows/documents/parties.ts";
import { previewNewQuote, previewQuoteChange, type QuotePreview } from "../../flows/documents/preview-quote.ts";
import { quoteFile } from "../../flows/documents/quote-file.ts";
import { viewTimesOf } from "../../flows/documents/record-view.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { invoiceObject } from "../../flows/invoices/invoice-object.ts";
import { changeQuote } from "../../flows/quotes/change-quote.ts";
import { convertQuote } from "../../flows/quotes/convert-quote.ts";
import { createQuote } from "../../flows/quotes/create-quote.ts";
import { deleteDraft } from "../../flows/quotes/delete-quote.ts";
import { markQuote } from "../../flows/quotes/mark-quote.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { notFound } from "../../kernel/errors.ts";
import { calendarDay, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { InvoiceObject } from "../../modules/invoices/schema.ts";
import { statusAt } from "../../modules/quotes/rules.ts";
import {
  QuoteConvert,
  QuoteCreate,
  QuoteDeleted,
  QuoteObject,
  QuotePatch,
  QuoteQuery,
} from "../../modules/quotes/schema.ts";
import { findQuote, listQuotes, QUOTE_SORTS, quoteTotals } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import { quoteView } from "../../modules/quotes/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { downloadEndpoint, endpoint, ownTransactionsEndpoint, type Reply } from "../endpoint.ts";
import { QUOTE } from "../expand/records.ts";
import { totalsEndpoint } from "../list-totals.ts";
import { listOf, page } from "../lists.ts";
import { quotePagePreview } from "../pages/quote/preview.ts";
import { changed, created, previewBody } from "../replies.ts";

const common = {
  tag: { name: "Quotes", about: "Offers that customers accept or decline." },
  feature: "invoicing",
} as const;
const params = z.object({ id: z.string().describe("The quote's id or number.") });

const previewReply = (ctx: Ctx, preview: QuotePreview): Reply => ({
  status: 200,
  body: previewBody(preview, quotePagePreview(ctx, preview)),
});

/** An action that changes the quote's status and returns the quote (interface 4.6). */
const action = (name: "send" | "accept" | "decline", summary: string) =>
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: `/quotes/{id}/${name}`,
    summary,
    permission: "quotes:write",
    idempotent: true,
    params,
    replies: { 200: QuoteObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await markQuote(tx, ctx, id, name);
      return {
        status: 200,
        body: quoteView(after, ctx.now),
        audit: { subject: after.id, before: { status: before.status }, after: { status: after.status } },
      };
    },
  });

/** Quotes, with their status now. */
const quotesCsv = listExport<Quote, typeof QuoteQuery>({
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
    acceptedBy: (row) => row.acceptedBy,
    declinedAt: (row) => toTimestampOrNull(row.declinedAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  async list(tx, query, { now }) {
    const quotes = await listQuotes(tx, await withNamed(tx, query), calendarDay(now));
    return quotes.map((quote) => ({ ...quote, status: statusAt(quote, now) }));
  },
});

/** The endpoints of interface 4.6; staff may also move a quote back to draft (interface 14.2). */
export const quoteEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/quotes",
    summary: "Create a quote",
    permission: "quotes:write",
    idempotent: true,
    body: QuoteCreate,
    replies: { 201: QuoteObject },
    async handle({ ctx, body }, tx) {
      return created(quoteView(await createQuote(tx, ctx, body), ctx.now));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/quotes",
    expands: QUOTE,
    summary: "List quotes, newest first",
    permission: "quotes:read",
    query: QuoteQuery,
    sorts: QUOTE_SORTS,
    replies: { 200: listOf(QuoteObject) },
    async handle({ ctx, query }, tx) {
      const { items, ...paging } = await page(
        await withNamed(tx, query),
        (wanted) => listQuotes(tx, wanted, calendarDay(ctx.now)),
        QUOTE_SORTS,
      );
      const times = await viewTimesOf(tx, ctx, items);
      return {
        status: 200,
        body: { data: items.map((quote) => ({ ...quoteView(quote, ctx.now), ...times(quote) })), ...paging },
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/quotes/{id}",
    expands: QUOTE,
    summary: "Get a quote",
    permission: "quotes:read",
    params,
    replies: { 200: QuoteObject },
    async handle({ ctx, params: { id } }, tx) {
      const quote = await findQuote(tx, id);
      if (!quote) throw notFound("quote");
      const times = await viewTimesOf(tx, ctx, [quote]);
      return { status: 200, body: { ...quoteView(quote, ctx.now), ...times(quote) } };
    },
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/quotes/preview",
    operationId: "previewQuote",
    summary: "Show what a customer would get of a new quote, without creating it",
    permission: "quotes:write",
    body: QuoteCreate,
    replies: { 200: DocumentPreviewObject },
    run: async ({ ctx, services, body }) => previewReply(ctx, await previewNewQuote(services, ctx, body)),
  }),
  ownTransactionsEndpoint({
    ...common,
    audience: "staff",
    method: "POST",
    path: "/quotes/{id}/preview",
    operationId: "previewQuoteChange",
    summary: "Show what a customer would get of a changed quote, without changing it",
    permission: "quotes:write",
    params,
    body: QuotePatch,
    replies: { 200: DocumentPreviewObject },
    run: async ({ ctx, services, params: { id }, body }) =>
      previewReply(ctx, await previewQuoteChange(services, ctx, id, body)),
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/quotes/{id}/pdf",
    summary: "Download a quote as a PDF",
    permission: "quotes:read",
    params,
    media: PDF,
    download: ({ ctx, services, params: { id } }) => quoteFile(services, ctx, id),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "PATCH",
    path: "/quotes/{id}",
    edits: true,
    summary: "Edit a draft or sent quote",
    permission: "quotes:write",
    params,
    body: QuotePatch,
    replies: { 200: QuoteObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await changeQuote(tx, ctx, id, body);
      return changed(quoteView(before, ctx.now), quoteView(after, ctx.now));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "DELETE",
    path: "/quotes/{id}",
    summary: "Delete a draft",
    permission: "quotes:write",
    params,
    replies: { 200: QuoteDeleted },
    async handle({ ctx, params: { id } }, tx) {
      const quote = await deleteDraft(tx, ctx, id);
      return {
        status: 200,
        body: { object: "quote", id: quote.id, number: quote.number, deleted: true },
        audit: { subject: quote.id, before: quoteView(quote, ctx.now) },
      };
    },
  }),
  action("send", "Mark a quote sent and mail it to the customer"),
  action("accept", "Mark a quote accepted"),
  action("decline", "Mark a quote declined"),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/quotes/{id}/convert",
    summary: "Convert a quote into a draft invoice",
    permission: "quotes:write",
    idempotent: true,
    params,
    body: QuoteConvert,
    replies: { 201: z.object({ quote: QuoteObject, invoice: InvoiceObject }) },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after, invoice } = await convertQuote(tx, ctx, id, body.dueDays);
      return {
        status: 201,
        body: { quote: quoteView(after, ctx.now), invoice: invoiceObject(ctx, invoice) },
        audit: {
          subject: after.id,
          before: { status: before.status },
          after: { status: after.status, invoice: after.invoice },
        },
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/quotes/{id}/draft",
    summary: "Move a sent or expired quote back to draft",
    permission: "quotes:write",
    idempotent: true,
    params,
    replies: { 200: QuoteObject },
    async handle({ ctx, params: { id } }, tx) {
      const { before, after } = await markQuote(tx, ctx, id, "draft");
      return {
        status: 200,
        body: quoteView(after, ctx.now),
        audit: { subject: after.id, before: { status: before.status }, after: { status: after.status } },
      };
    },
  }),
  totalsEndpoint("quotes", {
    what: "quotes",
    permission: "quotes:read",
    feature: "invoicing",
    query: QuoteQuery.omit(PAGING),
    sums: ["total"],
    read: async (tx, ctx, query, countTo) => quoteTotals(tx, await withNamed(tx, query), calendarDay(ctx.now), countTo),
  }),
  listEndpoint("quotes", "Quotes", "quotes:read", QuoteQuery.omit(PAGING), quotesCsv, "invoicing"),
];
