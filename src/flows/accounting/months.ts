import type { LedgerAccount } from "../../domain/ledger.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import {
  addMonths,
  addSeconds,
  type CalendarDay,
  calendarDay,
  firstOfMonth,
  parseCalendarDay,
  startOfDay,
} from "../../kernel/time.ts";
import { closedMonths, closeMonths, lockMonths, reopenMonths } from "../../modules/accounting-months/store.ts";
import type { AccountingMonth } from "../../modules/accounting-months/types.ts";
import { accountingMonthWithTotals } from "../../modules/accounting-months/view.ts";
import { firstPosted, ledgerRecords, ledgerTotals } from "../../modules/books/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** The first day of a month that is written `YYYY-MM`. Throws 404 for anything else. */
export function monthOf(text: string): CalendarDay {
  const day = /^\d{4}-\d{2}$/.test(text) ? parseCalendarDay(`${text}-01`) : null;
  if (!day) throw notFound("month");
  return day;
}

/**
 * The months of the books, newest first: from that of the first entry, or the first closed one, to the present month.
 */
export async function readMonths(tx: Tx, { now }: Ctx): Promise<AccountingMonth[]> {
  const [closed, first] = await Promise.all([closedMonths(tx), firstPosted(tx)]);
  const oldest = closed.at(-1)?.month ?? firstOfMonth(calendarDay(first ?? now));
  const months: AccountingMonth[] = [];
  for (let month = firstOfMonth(calendarDay(now)); month >= oldest; month = addMonths(month, -1))
    months.push(closed.find((one) => one.month === month) ?? { month, closedAt: null, closedBy: null });
  return months;
}

/** One month with the sums posted in it. */
export async function readMonth(tx: Tx, month: CalendarDay) {
  const [closed, totals] = await Promise.all([
    closedMonths(tx),
    ledgerTotals(tx, startOfDay(month), startOfDay(addMonths(month, 1))),
  ]);
  const known = closed.find((one) => one.month === month);
  return accountingMonthWithTotals(known ?? { month, closedAt: null, closedBy: null }, totals);
}

/**
 * The entries of a month with the sums that they posted to a ledger account, at most `limit` after the entry
 * `startingAfter`.
 */
export const readLedger = (
  tx: Tx,
  month: CalendarDay,
  query: {
    readonly account: LedgerAccount;
    readonly currency?: string | undefined;
    readonly limit: number;
    readonly startingAfter?: string | undefined;
  },
) =>
  ledgerRecords(tx, {
    ...{ account: query.account, currency: query.currency, limit: query.limit, after: query.startingAfter ?? "" },
    ...{ from: startOfDay(month), until: startOfDay(addMonths(month, 1)) },
  });

/** Seconds after a month's end, after which every transaction that began in the month has ended. */
const OVER_AFTER_S = 300;

/**
 * Closes a month and every month before it (interface 18.3): a later entry dated in it gets the first moment of the
 * first open month. Waits for transactions that post into an earlier month (`shareMonths`). A closed month does not
 * change. Throws 409 `invalid_state` for a month that ended less than five minutes ago.
 */
export async function closeMonth(tx: Tx, ctx: Ctx, month: CalendarDay) {
  if (addSeconds(startOfDay(addMonths(month, 1)), OVER_AFTER_S) > ctx.now)
    throw new ApiError("invalid_state", 409, "A month can be closed when it has been over for five minutes.");
  lockMonths(tx);
  const first = await firstPosted(tx);
  const posted = first === null ? month : firstOfMonth(calendarDay(first));
  closeMonths(tx, { from: posted < month ? posted : month, to: month }, ctx.now, ctx.actor.name);
  return readMonth(tx, month);
}

/** Reopens a month and every month after it. Throws 409 `invalid_state` for a month that is open. */
export async function reopenMonth(tx: Tx, month: CalendarDay) {
  lockMonths(tx);
  const closed = await closedMonths(tx);
  if (!closed.some((one) => one.month === month)) throw new ApiError("invalid_state", 409, "The month is open.");
  reopenMonths(tx, month);
  return readMonth(tx, month);
}
