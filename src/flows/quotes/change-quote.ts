import { depositTerms } from "../../kernel/deposits.ts";
import { invalid } from "../../kernel/errors.ts";
import { priceLines } from "../../kernel/lines.ts";
import { QUOTE_UPDATED } from "../../modules/quotes/declarations.ts";
import { requireValidDates } from "../../modules/quotes/rules.ts";
import type { QuotePatchBody } from "../../modules/quotes/schema.ts";
import { isEditable } from "../../modules/quotes/states.ts";
import { replaceLines, saveQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { refuseErased } from "../customers/identified-customer.ts";
import { appendQuoteEvent, lockCurrentQuote, scheduleExpiry } from "./quote-steps.ts";
import { customerNamedIn, lineItemsOf } from "./quote-terms.ts";

/**
 * Changes a quote (interface 4.6, PATCH). Locks it. Throws 404; 400 unless it is draft or sent, and as `createQuote`.
 */
export async function changeQuote(
  tx: Tx,
  ctx: Ctx,
  key: string,
  body: QuotePatchBody,
): Promise<{ before: Quote; after: Quote }> {
  const before = await lockCurrentQuote(tx, ctx, key);
  if (!isEditable(before.status))
    throw invalid(`Quote ${before.number} is ${before.status}. Only draft and sent quotes can be edited.`);
  const customer = (await customerNamedIn(tx, body)) ?? (await refuseErased(tx, before.customer));
  const issueDate = body.issueDate ?? before.issueDate;
  const items = body.lineItems ? await lineItemsOf(tx, body.lineItems, issueDate) : before.lines;
  const taxInclusive = body.taxInclusive ?? before.taxInclusive;
  const discount = body.discount === undefined ? before.discount : body.discount;
  const dates = {
    issueDate,
    expiryDate: body.expiryDate === undefined ? before.expiryDate : body.expiryDate,
    periodStart: body.periodStart === undefined ? before.periodStart : body.periodStart,
    periodEnd: body.periodEnd === undefined ? before.periodEnd : body.periodEnd,
  };
  requireValidDates(dates, items);
  const currency = body.currency ?? before.currency;
  const priced = priceLines(items, taxInclusive, "lineItems", currency, discount);
  const after: Quote = {
    ...before,
    customer,
    currency,
    ...dates,
    taxInclusive,
    ...priced,
    ...depositTerms(body.deposit === undefined ? before.deposit : body.deposit, priced.total, currency),
    notes: body.notes === undefined ? before.notes : body.notes,
    updatedAt: ctx.now,
  };
  saveQuote(tx, after);
  replaceLines(tx, after);
  if (after.status === "sent") scheduleExpiry(tx, after);
  appendQuoteEvent(tx, ctx, QUOTE_UPDATED, after);
  return { before, after };
}
