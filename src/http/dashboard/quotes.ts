import { z } from "zod";
import { markQuote } from "../../flows/quotes/mark-quote.ts";
import { QuoteObject } from "../../modules/quotes/schema.ts";
import { quoteView } from "../../modules/quotes/view.ts";
import { endpoint } from "../endpoint.ts";

/** Interface 14.2: what staff may do with a quote beside what the client API offers. */
export const staffQuoteEndpoints = [
  endpoint({
    tag: "Quotes",
    feature: "invoicing",
    method: "POST",
    path: "/quotes/{id}/draft",
    summary: "Move a sent or expired quote back to draft",
    permission: "quotes:write",
    params: z.object({ id: z.string().describe("The quote's id or number.") }),
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
];
