import {
  addDays,
  addMonths,
  type CalendarDay,
  calendarDay,
  endOfDay,
  type Instant,
  startOfDay,
  toTimestamp,
} from "../../kernel/time.ts";
import { isRegisteredOn } from "../../kernel/vat-rates.ts";
import { closedMonths } from "../../modules/accounting-months/store.ts";
import {
  missedTotals,
  movementTotals,
  recurringRevenue,
} from "../../modules/customer-subscriptions/store/movements.ts";
import { expiringCards } from "../../modules/customer-subscriptions/store/next-billing.ts";
import { recurringRevenueView } from "../../modules/customer-subscriptions/view.ts";
import { findNextBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { debitBatchSummary } from "../../modules/debit-batches/view.ts";
import { retriedTotals } from "../../modules/dunning/store.ts";
import { transfersToReview } from "../../modules/eft-orders/store.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { nextDebits } from "../../modules/mandates/store.ts";
import type { Permission } from "../../modules/members/rules.ts";
import { vatTimeline } from "../../modules/organisations/rules.ts";
import { expectedDays, receivedSpans } from "../../modules/overview/rules.ts";
import { expectedMoney, owedTotals, receivedByDay, tasksOf } from "../../modules/overview/store.ts";
import type { TaskTotal } from "../../modules/overview/types.ts";
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
import { lastTaxPeriod } from "../../modules/vat-returns/rules.ts";
import { failedDeliveries } from "../../modules/webhooks/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY, realTime } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { MayRead } from "../search/search-records.ts";

/** The number of days, including today, in figures about past events. */
const FIGURE_DAYS = 30;
const RECOVERY_DAYS = 180;

/** The first day of figures about past events. */
export const firstDayOfFigures = (now: Instant): CalendarDay => addDays(calendarDay(now), 1 - FIGURE_DAYS);

/** The first day of failures: a charge that failed since then and was paid later counts as recovered. */
export const firstDayOfFailures = (now: Instant): CalendarDay => addDays(firstDayOfFigures(now), -RECOVERY_DAYS);

/** The permission to read what a task is about. */
const TASKS_READ_BY: Readonly<Record<TaskTotal["kind"], Permission>> = {
  disputes_open: "transactions:read",
  endpoints_disabled: "webhooks:read",
  emails_failed: "emails:read",
  gateways_down: "gateways:read",
  batches_refused: "mandates:read",
  lines_to_match: "reconciliation:read",
  proofs_to_check: "eft_orders:read",
  mandates_pending: "mandates:read",
  quotes_to_invoice: "quotes:read",
  drafts_to_send: "invoices:read",
  cards_expiring: "subscriptions:read",
  vat_return_due: "accounting:read",
  debits_unpaid: "mandates:read",
};

/**
 * The present figures of the dashboard's home page (interface 14.4), each with the list of its records; those that the
 * caller may not read are undefined.
 */
export async function readOverview(tx: Tx, ctx: Ctx, mayRead: MayRead) {
  const since = startOfDay(firstDayOfFigures(ctx.now));
  const debitsToo = mayRead("mandates:read");
  const subscriptionsToo = mayRead("subscriptions:read");
  const allExpected = mayRead("invoices:read") && debitsToo && subscriptionsToo;
  const [received, tasks, expected, money, atRisk, recurring, batch, debits, failed] = await Promise.all([
    mayRead("transactions:read") ? receivedOf(tx, ctx) : undefined,
    allTasks(tx, ctx, since),
    allExpected ? expectedOf(tx, ctx) : undefined,
    moneyOf(tx, ctx, mayRead),
    debitsToo ? moneyAtRisk(tx, ctx) : undefined,
    subscriptionsToo ? recurringRevenueOf(tx, ctx) : undefined,
    debitsToo ? findNextBatch(tx, calendarDay(ctx.now)) : undefined,
    debitsToo ? nextDebits(tx) : undefined,
    mayRead("events:read") ? failedDeliveries(tx, since) : undefined,
  ]);
  const readable = tasks.filter(({ kind }) => mayRead(TASKS_READ_BY[kind]));
  return {
    asOf: toTimestamp(ctx.now),
    ...received,
    toDo: tasksView(readable, firstDayOfFigures(ctx.now)),
    unpaidDebits: debitsToo ? unpaidDebitsView(tasks) : undefined,
    expected,
    money,
    moneyAtRisk: atRisk,
    recurringRevenue: recurring,
    nextDebitBatch: batch && debitBatchSummary(batch),
    nextDebits: debits && nextDebitsView(debits),
    webhookFailures: failed && webhookFailuresView(failed, since),
  };
}

/** What needs a person, and the debits that were returned unpaid; failures count since `from`. */
async function allTasks(tx: Tx, ctx: Ctx, from: Instant): Promise<TaskTotal[]> {
  const [tasks, cards, vatReturn] = await Promise.all([
    tasksOf(tx, { from, machineNow: realTime() }),
    expiringCards(tx),
    vatReturnDue(tx, ctx),
  ]);
  const noAmount = { currency: null, amount: null };
  return [
    ...tasks,
    ...(cards ? [{ kind: "cards_expiring" as const, ...noAmount, ...cards }] : []),
    ...(vatReturn ? [{ kind: "vat_return_due" as const, ...noAmount, ...vatReturn }] : []),
  ];
}

/**
 * The VAT return of the newest tax period that has ended, until its months are closed; null where the category is not known, or the
 * organisation was not registered or did not exist.
 */
async function vatReturnDue(tx: Tx, { now, organisation }: Ctx) {
  const [settings, closed] = await Promise.all([currentSettings(tx), closedMonths(tx)]);
  if (settings.vatCategory === null) return null;
  const { first, last, due } = lastTaxPeriod(settings.vatCategory, calendarDay(now));
  const lastDay = addDays(addMonths(last, 1), -1);
  if (!isRegisteredOn(vatTimeline(settings), lastDay) || organisation.createdAt > endOfDay(lastDay)) return null;
  const isClosed = (day: CalendarDay) => closed.some(({ month }) => month === day);
  if (isClosed(first) && isClosed(last)) return null;
  const list = `accounting/vat201/${last.slice(0, 7)}?months=${first === last ? 1 : 2}`;
  return { count: 1, since: due, list };
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
async function moneyOf(tx: Tx, { now }: Ctx, mayRead: MayRead): Promise<ReturnType<typeof moneyView>[]> {
  const today = calendarDay(now);
  const [owed, retried, transfers] = await Promise.all([
    mayRead("invoices:read") ? owedTotals(tx, today) : null,
    mayRead("invoices:read") && mayRead("subscriptions:read") ? retriedTotals(tx) : null,
    mayRead("eft_orders:read") ? transfersToReview(tx) : null,
  ]);
  const all = [owed, retried, transfers].flatMap((totals) => totals ?? []).map(({ currency }) => currency);
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
