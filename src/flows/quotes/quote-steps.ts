import type { EventDeclaration } from "../../events/event.ts";
import { appendEvent } from "../../events/outbox.ts";
import { notFound } from "../../kernel/errors.ts";
import { QUOTE_EXPIRE, QUOTE_EXPIRED } from "../../modules/quotes/declarations.ts";
import { expiresAt, statusAt } from "../../modules/quotes/rules.ts";
import type { QuoteObject } from "../../modules/quotes/schema.ts";
import { lockQuote, saveQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import { quoteView } from "../../modules/quotes/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/**
 * Locks the quote with that id or number. First expires a sent quote whose last valid day has passed, with its event
 * (interface 3.4). Throws 404.
 */
export async function lockCurrentQuote(tx: Tx, ctx: Ctx, key: string): Promise<Quote> {
  const quote = await lockQuote(tx, key);
  if (!quote) throw notFound("quote");
  return expireIfOver(tx, ctx, quote);
}

/**
 * Expires a sent quote whose last valid day has passed, with its event (interface 3.4); returns the quote afterwards.
 * The caller has locked it.
 */
function expireIfOver(tx: Tx, ctx: Ctx, quote: Quote): Quote {
  if (statusAt(quote, ctx.now) === quote.status) return quote;
  const expired: Quote = { ...quote, status: "expired", updatedAt: ctx.now };
  saveQuote(tx, expired);
  scheduleExpiry(tx, expired);
  appendQuoteEvent(tx, ctx, QUOTE_EXPIRED, expired);
  return expired;
}

/** `quote.expire`: expires a sent quote whose last valid day has passed. Returns null: there is no later work. */
export async function expireQuote(tx: Tx, ctx: Ctx, quote: Quote): Promise<null> {
  expireIfOver(tx, ctx, quote);
  return null;
}

/** Appends an event with the quote as it is after the change (interface 6). */
export function appendQuoteEvent(tx: Tx, ctx: Ctx, event: EventDeclaration<typeof QuoteObject>, quote: Quote): void {
  appendEvent(tx, ctx.now, event, quote.id, quoteView(quote, ctx.now));
}

/** Enqueues the expiry of a sent quote with an expiry date; cancels it for any other quote. */
export function scheduleExpiry(tx: Tx, quote: Quote): void {
  const due = quote.status === "sent" ? expiresAt(quote) : null;
  if (due) enqueue(tx, QUOTE_EXPIRE, quote.id, due);
  else cancelWork(tx, QUOTE_EXPIRE, quote.id);
}
