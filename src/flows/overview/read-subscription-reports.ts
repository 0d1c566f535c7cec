import { ZERO } from "../../kernel/money.ts";
import { addDays, addMonths, type CalendarDay, firstOfMonth, startOfDay } from "../../kernel/time.ts";
import { cohortsOf } from "../../modules/customer-subscriptions/rules/cohorts.ts";
import { revenueOver } from "../../modules/customer-subscriptions/rules/revenue-over-time.ts";
import {
  cohortMovements,
  movementsByDay,
  recurringRevenue,
} from "../../modules/customer-subscriptions/store/movements.ts";
import { cohortsView, revenueSpanView } from "../../modules/customer-subscriptions/view.ts";
import { recoveryTotals } from "../../modules/dunning/store.ts";
import { recoveryView } from "../../modules/dunning/view.ts";
import { type Days, divided } from "../../modules/overview/rules.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type DaysAsked, daysAsked } from "./read-received.ts";

/** The first day of a report about subscriptions, unless days are asked for: twelve months with the last one. */
const yearBefore = (last: CalendarDay): CalendarDay => addMonths(firstOfMonth(last), -11);

/** How recurring revenue moved in some days, whole and by month (interface 14.4). Throws 400. */
export async function readRevenueReport(tx: Tx, ctx: Ctx, query: DaysAsked) {
  const { currency, ...days } = daysAsked(ctx, query, yearBefore);
  const [revenue, movements] = await Promise.all([
    recurringRevenue(tx),
    movementsByDay(tx, startOfDay(days.from), currency),
  ]);
  const now = revenue.find((one) => one.currency === currency) ?? { amount: ZERO, count: 0 };
  const span = (of: Days) => ({ ...of, ...revenueSpanView(revenueOver(of, now, movements)) });
  return { object: "revenue_report", currency, ...span(days), series: divided(days, "month").map(span) };
}

/** The subscriptions that started in each month of some days, and what is left of them since (interface 14.4). Throws 400. */
export async function readCohorts(tx: Tx, ctx: Ctx, query: DaysAsked) {
  const { currency, from: first, to } = daysAsked(ctx, query, yearBefore);
  const from = firstOfMonth(first);
  const until = startOfDay(addDays(to, 1));
  const movements = await cohortMovements(tx, { from: startOfDay(from), until, currency });
  const months = divided({ from, to }, "month").map((month) => month.from);
  return { object: "cohort_report", currency, from, to, cohorts: cohortsView(cohortsOf(months, movements), to) };
}

/** What became of the collections of subscriptions that failed first in some days (interface 14.4). Throws 400. */
export async function readRecovery(tx: Tx, ctx: Ctx, query: DaysAsked) {
  const { from, to, currency } = daysAsked(ctx, query, yearBefore);
  const totals = await recoveryTotals(tx, { from: startOfDay(from), until: startOfDay(addDays(to, 1)), currency });
  return { object: "recovery_report", currency, from, to, ...recoveryView(totals) };
}
