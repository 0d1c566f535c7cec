import type { CurrencyTotal } from "../../domain/totals.ts";
import { type Cents, sum, toRand, ZERO } from "../../kernel/money.ts";
import { addDays, type BusinessDay, type Instant, toTimestamp } from "../../kernel/time.ts";
import { collectedSpans, type Days } from "./rules.ts";
import type { DayTotal, OwedTotal } from "./types.ts";

const list = (path: string) => `/dashboard/api/${path}`;

/** The figures of a currency, each with the list of its records. */
export function moneyView(
  currency: string,
  today: BusinessDay,
  totals: {
    readonly collected: readonly DayTotal[];
    readonly owed: readonly OwedTotal[];
    readonly retried: readonly CurrencyTotal[];
    readonly transfers: readonly CurrencyTotal[];
  },
) {
  const days = totals.collected.filter((total) => total.currency === currency);
  const owed = totals.owed.find((total) => total.currency === currency);
  const spans = collectedSpans(today);
  const within = ({ from, to }: Days) => {
    const own = days.filter(({ day }) => day >= from && day <= to);
    return {
      amount: toRand(sum(own.map(({ amount }) => amount))),
      count: own.reduce((all, { count }) => all + count, 0),
      list: list(`transactions?paidFrom=${from}&paidTo=${to}&currency=${currency}`),
    };
  };
  const figure = (amount: Cents, count: number, path: string) => ({
    amount: toRand(amount),
    count,
    list: list(`${path}&currency=${currency}`),
  });
  const only = (of: readonly CurrencyTotal[], path: string) => {
    const own = of.find((total) => total.currency === currency);
    return figure(own?.amount ?? ZERO, own?.count ?? 0, path);
  };
  const byDay = new Map(days.map((total) => [total.day, total]));
  return {
    currency,
    collected: {
      today: within(spans.today),
      month: within(spans.month),
      lastMonthToDate: within(spans.lastMonthToDate),
      lastMonth: within(spans.lastMonth),
      days: Array.from({ length: spans.shown }, (_, index) => {
        const day = addDays(today, index + 1 - spans.shown);
        const { amount = ZERO, count = 0 } = byDay.get(day) ?? {};
        return { day, amount: toRand(amount), count };
      }),
    },
    outstanding: figure(owed?.amount ?? ZERO, owed?.count ?? 0, "invoices?owing=open"),
    overdue: figure(owed?.overdue ?? ZERO, owed?.overdueCount ?? 0, "invoices?owing=overdue"),
    retrying: only(totals.retried, "invoices?missed=retrying"),
    transfersToReview: only(totals.transfers, "eft-orders?status=awaiting_review"),
  };
}

/** The mandates that are debited next, with their list. */
export const nextDebitsView = (next: Omit<CurrencyTotal, "currency"> & { readonly date: BusinessDay }) => ({
  date: next.date,
  amount: toRand(next.amount),
  count: next.count,
  list: list(`mandates?nextDebitDate=${next.date}`),
});

/** The deliveries that were given up since `from`, with their list. */
export const webhookFailuresView = (failed: { readonly count: number; readonly endpoints: number }, from: Instant) => ({
  ...failed,
  list: list(`webhook-deliveries?status=failed,parked&from=${toTimestamp(from)}`),
});
