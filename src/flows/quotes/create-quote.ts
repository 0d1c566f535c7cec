import { assert } from "../../kernel/assert.ts";
import { depositTerms } from "../../kernel/deposits.ts";
import { priceLines } from "../../kernel/lines.ts";
import { calendarDay } from "../../kernel/time.ts";
import { takeNumber } from "../../modules/document-numbers/store.ts";
import { QUOTE_CREATED, QUOTE_SENT } from "../../modules/quotes/declarations.ts";
import { requireValidDates } from "../../modules/quotes/rules.ts";
import type { QuoteCreateBody } from "../../modules/quotes/schema.ts";
import { insertQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { mailQuote } from "./quote-mail.ts";
import { appendQuoteEvent, scheduleExpiry } from "./quote-steps.ts";
import { customerNamedIn, lineItemsOf } from "./quote-terms.ts";

/**
 * Creates a quote (interface 4.6, POST /quotes). Locks the quote numbers. Throws 400 for an unknown customer, dates
 * that contradict each other, and a total that is not positive.
 */
export async function createQuote(tx: Tx, ctx: Ctx, body: QuoteCreateBody): Promise<Quote> {
  const issueDate = body.issueDate ?? calendarDay(ctx.now);
  const [customer, items] = await Promise.all([customerNamedIn(tx, body), lineItemsOf(tx, body.lineItems, issueDate)]);
  assert(customer, "the body names a customer");
  const { expiryDate, periodStart, periodEnd, notes } = body;
  const taxInclusive = body.taxInclusive ?? false;
  const currency = body.currency ?? DEFAULT_CURRENCY;
  const dates = { issueDate, expiryDate, periodStart, periodEnd };
  requireValidDates(dates, items);
  const priced = priceLines(items, taxInclusive, "lineItems", currency, body.discount);
  const quote: Quote = {
    id: newId("quo"),
    number: await takeNumber(tx, "quote"),
    status: body.send ? "sent" : "draft",
    customer,
    currency,
    ...dates,
    taxInclusive,
    ...priced,
    ...depositTerms(body.deposit, priced.total, currency),
    notes,
    invoice: null,
    sentAt: body.send ? ctx.now : null,
    acceptedAt: null,
    acceptedBy: null,
    declinedAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertQuote(tx, quote);
  appendQuoteEvent(tx, ctx, QUOTE_CREATED, quote);
  if (!body.send) return quote;
  scheduleExpiry(tx, quote);
  appendQuoteEvent(tx, ctx, QUOTE_SENT, quote);
  mailQuote(tx, ctx, quote);
  return quote;
}
