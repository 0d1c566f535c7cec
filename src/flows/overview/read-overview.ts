import { addDays, type CalendarDay, calendarDay, type Instant, startOfDay, toTimestamp } from "../../kernel/time.ts";
import {
  missedTotals,
  movementTotals,
  recurringRevenue,
} from "../../modules/customer-subscriptions/store/movements.ts";
import { recurringRevenueView } from "../../modules/customer-subscriptions/view.ts";
import { findNextBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { debitBatchSummary } from "../../modules/debit-batches/view.ts";
import { retriedTotals } from "../../modules/dunning/store.ts";
import { transfersToReview } from "../../modules/eft-orders/store.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { nextDebits } from "../../modules/mandates/store.ts";
import { expectedDays, receivedSpans } from "../../modules/overview/rules.ts";
import { expectedMoney, owedTotals, receivedByDay, tasksOf } from "../../modules/overview/store.ts";
import {
  expectedView,
  moneyView,
  nextDebitsView,
  receivedView,
  tasksView,
  unpaidDebitsView,
  webhookFailuresView,
} from "../../modules/overview/view.ts";
import { debitSpan } from "../../modules/payments/rules.ts";
import { collectedDebits } from "../../modules/payments/store/payments.ts";
import { moneyAtRiskView } from "../../modules/payments/view.ts";
import { failedDeliveries } from "../../modules/webhooks/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY, realTime } from "../context.ts";

/** The number of days, including today, in figures about past events. */
const FIGURE_DAYS = 30;
const RECOVERY_DAYS = 180;

/** The first day of figures about past events. */
export const firstDayOfFigures = (now: Instant): CalendarDay => addDays(calendarDay(now), 1 - FIGURE_DAYS);

/** The first day of failures: a charge that failed since then and was paid later counts as recovered. */
export const firstDayOfFailures = (now: Instant): CalendarDay => addDays(firstDayOfFigures(now), -RECOVERY_DAYS);

/** The present figures of the dashboard's home page (interface 14.4), each with the list of its records. */
export async function readOverview(tx: Tx, ctx: Ctx) {
  const since = startOfDay(firstDayOfFigures(ctx.now));
  const [received, tasks, expected, money, atRisk, recurring, batch, debits, failed] = await Promise.all([
    receivedOf(tx, ctx),
    tasksOf(tx, { from: since, machineNow: realTime() }),
    expectedOf(tx, ctx),
    moneyOf(tx, ctx),
    moneyAtRisk(tx, ctx),
    recurringRevenueOf(tx, ctx),
    findNextBatch(tx, calendarDay(ctx.now)),
    nextDebits(tx),
    failedDeliveries(tx, since),
  ]);
  return {
    asOf: toTimestamp(ctx.now),
    ...received,
    toDo: tasksView(tasks, firstDayOfFigures(ctx.now)),
    unpaidDebits: unpaidDebitsView(tasks),
    expected,
    money,
    moneyAtRisk: atRisk,
    recurringRevenue: recurring,
    nextDebitBatch: batch && debitBatchSummary(batch),
    nextDebits: debits && nextDebitsView(debits),
    webhookFailures: webhookFailuresView(failed, since),
  };
}

/** What was received in the organisation's currency, and an entry for each other one in which something was. */
async function receivedOf(tx: Tx, { now }: Ctx) {
  const today = calendarDay(now);
  const days = await receivedByDay(tx, { from: receivedSpans(today).from, to: today });
  const others = new Set(days.map(({ currency }) => currency).filter((currency) => currency !== DEFAULT_CURRENCY));
  return {
    received: receivedView(DEFAULT_CURRENCY, today, days),
    receivedOther: [...others].map((currency) => receivedView(currency, today, days)),
  };
}

/** One entry for each currency in which money is expected, and always one for `DEFAULT_CURRENCY`. */
async function expectedOf(tx: Tx, { now }: Ctx): Promise<ReturnType<typeof expectedView>[]> {
  const days = expectedDays(calendarDay(now));
  const expected = await expectedMoney(tx, days);
  return [...new Set([DEFAULT_CURRENCY, ...expected.map(({ currency }) => currency)])].map((currency) =>
    expectedView(currency, days, expected),
  );
}

/** One entry for each currency in which money is owed or awaited, and always one for `DEFAULT_CURRENCY`. */
async function moneyOf(tx: Tx, { now }: Ctx): Promise<ReturnType<typeof moneyView>[]> {
  const today = calendarDay(now);
  const [owed, retried, transfers] = await Promise.all([
    owedTotals(tx, today),
    retriedTotals(tx),
    transfersToReview(tx),
  ]);
  const all = [...owed, ...retried, ...transfers].map(({ currency }) => currency);
  return [...new Set([DEFAULT_CURRENCY, ...all])].map((currency) => moneyView(currency, { owed, retried, transfers }));
}

/** One entry for each currency with recurring revenue or its movements, and always one for `DEFAULT_CURRENCY`. */
async function recurringRevenueOf(tx: Tx, { now }: Ctx): Promise<ReturnType<typeof recurringRevenueView>[]> {
  const day = firstDayOfFigures(now);
  const from = startOfDay(day);
  const [mrr, movements, missed] = await Promise.all([
    recurringRevenue(tx),
    movementTotals(tx, from),
    missedTotals(tx, from, startOfDay(firstDayOfFailures(now))),
  ]);
  const currencies = new Set([DEFAULT_CURRENCY, ...[...mrr, ...movements, ...missed].map(({ currency }) => currency)]);
  return [...currencies].map((currency) => recurringRevenueView(currency, day, { mrr, movements, missed }));
}

/** One entry for each currency in which debits were collected, and always one for that of mandates. */
async function moneyAtRisk(tx: Tx, { now }: Ctx): Promise<ReturnType<typeof moneyAtRiskView>[]> {
  const [atRisk, safe] = await Promise.all([
    collectedDebits(tx, debitSpan("at_risk", now)),
    collectedDebits(tx, debitSpan("safe", now)),
  ]);
  const currencies = new Set([MANDATE_CURRENCY, ...[...atRisk, ...safe].map(({ currency }) => currency)]);
  return [...currencies].map((currency) =>
    moneyAtRiskView(currency, {
      at_risk: atRisk.filter((debits) => debits.currency === currency),
      safe: safe.filter((debits) => debits.currency === currency),
    }),
  );
}
