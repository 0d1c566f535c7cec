import { invalid } from "../../kernel/errors.ts";
import type { Instant } from "../../kernel/time.ts";
import { QUOTE_ACCEPTED, QUOTE_DECLINED, QUOTE_SENT, QUOTE_UPDATED } from "../../modules/quotes/declarations.ts";
import { expiryWhenSent } from "../../modules/quotes/rules.ts";
import { moveQuote } from "../../modules/quotes/states.ts";
import { saveQuote } from "../../modules/quotes/store.ts";
import type { Quote } from "../../modules/quotes/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { refuseErased } from "../customers/identified-customer.ts";
import { mailQuote } from "./quote-mail.ts";
import { appendQuoteEvent, lockCurrentQuote, scheduleExpiry } from "./quote-steps.ts";

/** Changes of a quote's status that change no other record. */
export type QuoteMark = keyof typeof MARKS;

/** For each change: its event, the fields that it sets, and the word for the error message. */
const MARKS = {
  send: {
    event: QUOTE_SENT,
    sets: (quote: Quote, now: Instant) => ({ sentAt: now, expiryDate: expiryWhenSent(quote, now) }),
    done: "sent",
  },
  accept: {
    event: QUOTE_ACCEPTED,
    sets: (_: Quote, now: Instant, by: string | null) => ({ acceptedAt: now, acceptedBy: by }),
    done: "accepted",
  },
  decline: { event: QUOTE_DECLINED, sets: (_: Quote, now: Instant) => ({ declinedAt: now }), done: "declined" },
  draft: { event: QUOTE_UPDATED, sets: () => ({}), done: "moved back to draft" },
} as const;

/**
 * Changes a quote's status (interface 3.4). A quote that has the status already does not change, with no event and no
 * mail. Locks it. Throws 404; 400 for a change that the table refuses.
 */
export async function markQuote(
  tx: Tx,
  ctx: Ctx,
  key: string,
  mark: QuoteMark,
): Promise<{ before: Quote; after: Quote }> {
  const before = await lockCurrentQuote(tx, ctx, key);
  return { before, after: await markLocked(tx, ctx, before, mark) };
}

/** Like `markQuote`, for a quote that the caller has locked. `by`: the name of the person who accepts it. */
export async function markLocked(
  tx: Tx,
  ctx: Ctx,
  before: Quote,
  mark: QuoteMark,
  by: string | null = null,
): Promise<Quote> {
  const { event, sets, done } = MARKS[mark];
  const status = moveQuote(before.status, mark);
  if (status === null) throw invalid(`Quote ${before.number} is ${before.status}, so it cannot be ${done}.`);
  if (status === before.status) return before;
  if (mark !== "decline") await refuseErased(tx, before.customer);
  const after: Quote = { ...before, ...sets(before, ctx.now, by), status, updatedAt: ctx.now };
  saveQuote(tx, after);
  scheduleExpiry(tx, after);
  appendQuoteEvent(tx, ctx, event, after);
  if (mark === "send") mailQuote(tx, ctx, after);
  return after;
}
