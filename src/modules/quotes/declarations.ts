import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import type { HostedPage } from "../../platform/tokens.ts";
import { QuoteObject } from "./schema.ts";

export const QUOTE_CREATED = event("quote.created", { about: "The quote.", data: QuoteObject });
export const QUOTE_UPDATED = event("quote.updated", {
  about: "The quote after a change, or moved back to draft.",
  data: QuoteObject,
});
export const QUOTE_SENT = event("quote.sent", { about: "The quote that was sent.", data: QuoteObject });
export const QUOTE_ACCEPTED = event("quote.accepted", { about: "The quote that was accepted.", data: QuoteObject });
export const QUOTE_DECLINED = event("quote.declined", { about: "The quote that was declined.", data: QuoteObject });
export const QUOTE_EXPIRED = event("quote.expired", {
  about: "The quote whose last valid day is over.",
  data: QuoteObject,
});
export const QUOTE_INVOICED = event("quote.invoiced", {
  about: "The quote, with the invoice it was converted into.",
  data: QuoteObject,
});

/** Expires a sent quote at the end of its last valid day. */
export const QUOTE_EXPIRE = dueWork("quote.expire");

/** The hosted page on which the customer reads and answers a quote (interface 2.6). */
export const QUOTE_PAGE = { path: "quote", kind: "quo" } as const satisfies HostedPage;
