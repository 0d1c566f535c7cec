import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { QuoteCreateBody, QuotePatchBody } from "../../modules/quotes/schema.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import { dryRun } from "../../platform/dry-run.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { changeQuote } from "../quotes/change-quote.ts";
import { createQuote } from "../quotes/create-quote.ts";
import { markLocked } from "../quotes/mark-quote.ts";
import { writeQuoteMail } from "../quotes/quote-mail.ts";
import type { Services } from "../services.ts";
import { type PreviewedDocument, writePdf } from "./parties.ts";
import { quoteDocument } from "./quote-file.ts";

/** A quote as its customer would get it, with the facts of its page. */
export interface QuotePreview extends PreviewedDocument {
  readonly quote: Quote;
  readonly customer: Customer | null;
  readonly settings: Settings;
}

/** What the customer would get of a new quote, by a dry run of `createQuote`. Throws as it does. */
export const previewNewQuote = (services: Services, ctx: Ctx, body: QuoteCreateBody): Promise<QuotePreview> =>
  previewQuote(services, ctx, (tx) => createQuote(tx, ctx, { ...body, send: true }));

/** What the customer would get of a changed quote, by a dry run of `changeQuote` and of sending it. Throws as they do. */
export const previewQuoteChange = (
  services: Services,
  ctx: Ctx,
  key: string,
  body: QuotePatchBody,
): Promise<QuotePreview> =>
  previewQuote(services, ctx, async (tx) => {
    const { after } = await changeQuote(tx, ctx, key, body);
    return markLocked(tx, ctx, after, "send");
  });

async function previewQuote(services: Services, ctx: Ctx, send: (tx: Tx) => Promise<Quote>): Promise<QuotePreview> {
  const { document, ...read } = await dryRun(services.db, ctx.organisation.id, async (tx) => {
    const quote = await send(tx);
    const [document, customer, settings, mail] = await Promise.all([
      quoteDocument(tx, ctx, quote.id),
      findCustomer(tx, quote.customer.id),
      currentSettings(tx),
      writeQuoteMail(tx, ctx, quote),
    ]);
    return { number: quote.number, quote, document, customer, settings, mail };
  });
  return { ...read, pdf: await writePdf(services, ctx, read.number, "quote", document), taxInvoice: null };
}
