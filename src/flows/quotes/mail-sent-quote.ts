import { statusAt } from "../../modules/quotes/rules.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { mailQuote } from "../mail/document-mails.ts";

/** To the customer, if there is an address; not when there is nothing left to accept, since it was sent after its last day. */
export async function mailSentQuote(tx: Tx, ctx: Ctx, quote: Quote): Promise<void> {
  if (statusAt(quote, ctx.now) !== "sent") return;
  await mailQuote(tx, ctx, quote, hostedUrl(ctx, "quote", quote.id));
}
