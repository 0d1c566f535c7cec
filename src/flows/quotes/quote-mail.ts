import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { statusAt } from "../../modules/quotes/rules.ts";
import { findQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import { documentOfQuote } from "../../templates/document.ts";
import { quoteMail } from "../../templates/mails/quote.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { type Composed, declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";

/** To the customer: the quote, as its page shows it when the mail is written. */
export const QUOTE_MAIL = declareMail<Record<string, never>>("quote", async (tx, ctx, { about }) => {
  const quote = await findQuote(tx, about);
  return quote && writeQuoteMail(tx, ctx, quote);
});

/** Writes the mail that carries a quote, by the settings of the transaction. */
export const writeQuoteMail = (tx: Tx, ctx: Ctx, quote: Quote): Promise<Composed> =>
  fromMerchant(tx, ctx, (brand, { mail }) =>
    quoteMail({
      brand,
      quote: documentOfQuote(quote),
      url: hostedUrl(ctx, QUOTE_PAGE, quote.id),
      text: mail.quoteText,
    }),
  );

/**
 * Requests the quote's mail with a link to its page, each time that it is sent (interface 3.4), if the customer has an
 * address. Does nothing for a quote whose last valid day has passed.
 */
export function mailQuote(tx: Tx, ctx: Ctx, quote: Quote): void {
  if (statusAt(quote, ctx.now) === "sent")
    requestMail(tx, ctx, QUOTE_MAIL, { about: quote.id, to: [quote.customer.email], facts: {} });
}
