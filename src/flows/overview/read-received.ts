import { invalidField } from "../../kernel/errors.ts";
import { type CalendarDay, calendarDay, daysBetween, firstOfMonth } from "../../kernel/time.ts";
import { type Days, type Division, daysBefore } from "../../modules/overview/rules.ts";
import { receivedByDay, receivedByMethod } from "../../modules/overview/store.ts";
import { receivedByMethodView, receivedRangeView } from "../../modules/overview/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";

/** The most days of a range: five years. */
const MOST_DAYS = 1827;

/** The days and the currency that a query names. */
export interface DaysAsked {
  readonly from?: CalendarDay | undefined;
  readonly to?: CalendarDay | undefined;
  readonly currency?: string | undefined;
}

/** The days of a query about receipts, by default from `firstOf` on, this month's first. Throws 400. */
export function daysAsked(
  { now }: Ctx,
  { from, to, currency }: DaysAsked,
  firstOf: (last: CalendarDay) => CalendarDay = firstOfMonth,
): Days & { readonly currency: string } {
  const last = to ?? calendarDay(now);
  const first = from ?? firstOf(last);
  if (first > last) throw invalidField(["from"], "from must not be after to.");
  if (daysBetween(first, last) >= MOST_DAYS)
    throw invalidField(["from"], `from and to must be at most ${MOST_DAYS} days.`);
  return { from: first, to: last, currency: currency || DEFAULT_CURRENCY };
}

/** What was received in some days, and in as many before them (interface 14.4). Throws 400. */
export async function readReceived(tx: Tx, ctx: Ctx, query: DaysAsked & { readonly by?: Division | undefined }) {
  const { currency, ...days } = daysAsked(ctx, query);
  const received = await receivedByDay(tx, { from: daysBefore(days).from, to: days.to });
  return receivedRangeView(
    { currency, by: query.by ?? "day", days },
    received.filter((day) => day.currency === currency),
  );
}

/** What was received in some days by each method and gateway (interface 14.4). Throws 400. */
export async function readReceivedByMethod(tx: Tx, ctx: Ctx, query: DaysAsked) {
  const asked = daysAsked(ctx, query);
  return receivedByMethodView(asked, await receivedByMethod(tx, asked));
}
