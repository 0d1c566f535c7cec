import { notFound } from "../../kernel/errors.ts";
import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { statusAt } from "../../modules/quotes/rules.ts";
import { findQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import { documentOfQuote } from "../../templates/document.ts";
import type { QuoteDocument } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import type { Services } from "../services.ts";
import { type Pdf, partiesOf, writePdf } from "./parties.ts";

/** The quote as a PDF, found by id or number (interface 4.6). Throws 404. */
export async function quoteFile(services: Services, ctx: Ctx, key: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => quoteDocument(tx, ctx, key));
  return writePdf(services, ctx, document.number, "quote", document);
}

/** The quote as its PDF shows it, found by id or number. Throws 404. */
export async function quoteDocument(tx: Tx, ctx: Ctx, key: string): Promise<QuoteDocument> {
  const quote = await findQuote(tx, key);
  if (!quote) throw notFound("quote");
  return {
    ...(await partiesOf(tx, ctx, { id: null, customerId: quote.customer.id })),
    ...documentOfQuote(quote),
    status: statusAt(quote, ctx.now),
    accepted: acceptanceOf(quote),
    quoteUrl: quote.status === "draft" ? null : hostedUrl(ctx, QUOTE_PAGE, quote.id),
  };
}

/** The acceptance that holds: not one of a quote that was moved back, declined or sent again since. */
const acceptanceOf = ({ status, acceptedAt, acceptedBy }: Quote): QuoteDocument["accepted"] =>
  acceptedAt !== null && (status === "accepted" || status === "invoiced") ? { at: acceptedAt, by: acceptedBy } : null;
