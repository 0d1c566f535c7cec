import { notFound } from "../../kernel/errors.ts";
import type { QuoteDocument } from "../../modules/documents/types.ts";
import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { statusAt } from "../../modules/quotes/rules.ts";
import { findQuote } from "../../modules/quotes/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { Services } from "../services.ts";
import { documentHead, documentLines, type Pdf, periodOf, writePdf } from "./document-head.ts";

/** The quote with that id or number as a PDF (interface 4.6). 404. */
export async function quoteFile(services: Services, ctx: Ctx, key: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => quoteDocument(tx, ctx, key));
  return writePdf(services, ctx, document.number, "quote", document);
}

async function quoteDocument(tx: Tx, ctx: Ctx, key: string): Promise<QuoteDocument> {
  const quote = await findQuote(tx, key);
  if (!quote) throw notFound("quote");
  const { currency, issueDate, number, taxInclusive, subtotal, tax, total, notes, expiryDate } = quote;
  return {
    ...(await documentHead(tx, ctx, { id: null, customerId: quote.customer.id, issueDate, currency })),
    number,
    status: statusAt(quote, ctx.now),
    expiryDate,
    period: periodOf(quote.periodStart, quote.periodEnd),
    lines: documentLines(quote.lines),
    taxInclusive,
    subtotal,
    tax,
    total,
    notes,
    quoteUrl: quote.status === "draft" ? null : hostedUrl(ctx, QUOTE_PAGE, quote.id),
  };
}
