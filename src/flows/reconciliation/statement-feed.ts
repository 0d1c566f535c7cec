import type { StatementLine } from "../../gateways/contract.ts";
import type { PaymentFact } from "../../gateways/facts.ts";
import { type Cents, subtract, ZERO } from "../../kernel/money.ts";
import { type CalendarDay, calendarDay, startOfDay } from "../../kernel/time.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { feedLineKey, isFeedLineOf, type Line } from "../../modules/reconciliation/rules.ts";
import { paymentsOfAccount } from "../../modules/reconciliation/store/candidates.ts";
import { importedBefore } from "../../modules/reconciliation/store/imported.ts";
import { hasFailedFeed, insertItems, insertRun, lockReconciliation } from "../../modules/reconciliation/store/runs.ts";
import type { NewItem, PaymentFacts, Run } from "../../modules/reconciliation/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import { type Ctx, DEFAULT_CURRENCY, hasFeature } from "../context.ts";
import { LINES_TOGETHER } from "./match-bank-lines.ts";
import { matchedItem, type NewMatch, paymentShare, recordMatches } from "./record-matches.ts";
import { endRun, newRun } from "./runs.ts";

/** A line of a gateway's own statement, with the key by which it is recognised when it is read again. */
interface FeedLine extends Line {
  readonly key: Buffer;
  readonly currency: string;
}

/**
 * Records the reading of a gateway's statement as a run of the account (interface 2.14): the lines that were not read
 * before, each matched with the payment whose reference it has. Records no run without such lines, nor for an
 * organisation whose plan has no reconciliation. The lines have no entries in the books: the money is still at the
 * gateway. Its first lock is `lockReconciliation`; it also locks the payments that lines name and that are not paid yet
 * (decisions.md#awaited-payments-are-kept).
 */
export async function recordFeed(
  tx: Tx,
  ctx: Pick<Ctx, "now" | "organisation">,
  account: GatewayAccount,
  { day, lines }: { readonly day: CalendarDay; readonly lines: readonly StatementLine[] },
): Promise<void> {
  if (!hasFeature(ctx.organisation, "reconciliation")) return;
  lockReconciliation(tx);
  const distinct = new Map(lines.map((line) => [line.id, line]));
  const known = [...distinct.values()].flatMap((line) => feedLine(account, line, day));
  const ofCurrency = Map.groupBy(known, ({ currency }) => currency);
  for (const [currency, found] of ofCurrency) {
    const run = feedRun(ctx, account, { day, currency });
    const before = await importedBefore(
      tx,
      run.id,
      found.map(({ key }) => key),
    );
    const fresh = found.filter(({ key }) => !before.has(key.toString("hex")));
    if (fresh.length === 0) continue;
    insertRun(tx, run);
    for (let at = 0; at < fresh.length; at += LINES_TOGETHER)
      await takeFeed(tx, ctx, run, { first: at, lines: fresh.slice(at, at + LINES_TOGETHER) });
    await endRun(tx, ctx, run, fresh.length);
  }
}

/** Stores that a statement could not be read, with the reason for staff, once on each day on which this continues. */
export async function recordFailedFeed(
  tx: Tx,
  ctx: Pick<Ctx, "now" | "organisation">,
  account: GatewayAccount,
  { day, reason }: { readonly day: CalendarDay; readonly reason: string },
): Promise<void> {
  if (!hasFeature(ctx.organisation, "reconciliation")) return;
  lockReconciliation(tx);
  const since = startOfDay(calendarDay(ctx.now));
  if (await hasFailedFeed(tx, account.id, { day, since })) return;
  const run = feedRun(ctx, account, { day, currency: account.currencies[0] ?? DEFAULT_CURRENCY });
  insertRun(tx, { ...run, status: "failed", failure: reason, finishedAt: ctx.now });
}

const feedRun = (
  ctx: Pick<Ctx, "now">,
  { id, name }: GatewayAccount,
  { day, currency }: { readonly day: CalendarDay; readonly currency: string },
): Run =>
  newRun(ctx, {
    source: "statement_feed",
    account: name,
    gatewayAccountId: id,
    currency,
    periodStart: day,
    periodEnd: day,
    fileName: null,
  });

/** Null for a line without a valid amount: its payment is flagged for staff. */
function feedLine(
  { id }: GatewayAccount,
  { id: line, description, fact }: StatementLine,
  day: CalendarDay,
): FeedLine[] {
  // A refund matches no awaited payment.
  if (fact.about === "refund") return [];
  const amount = amountOf(fact);
  if (amount === ZERO || fact.inexactAmount !== undefined) return [];
  return [
    {
      date: fact.occurredAt === null ? day : calendarDay(fact.occurredAt),
      description,
      amount,
      reference: fact.reference,
      key: feedLineKey(id, line),
      currency: ("currency" in fact && fact.currency) || DEFAULT_CURRENCY,
    },
  ];
}

/** The signed amount; received money is positive. */
function amountOf(fact: PaymentFact): Cents {
  if (fact.kind === "paid") return fact.amount;
  return fact.kind === "declined" && fact.takesBack ? subtract(ZERO, fact.amount ?? ZERO) : ZERO;
}

/** Inserts lines of a run from a position on, with the payments that they match. */
async function takeFeed(
  tx: Tx,
  ctx: Pick<Ctx, "now">,
  run: Run,
  { first, lines }: { readonly first: number; readonly lines: readonly FeedLine[] },
): Promise<void> {
  const items = lines.map(
    ({ key, date, description, amount, reference }, n): NewItem => ({
      ...{ id: newId("rci"), runId: run.id, place: first + n, key, occurrence: 1, bankKey: null },
      ...{ date, description, amount, reference, status: "unmatched", transactionReference: null },
      ...{ matchId: null, reason: null, matchedBy: null, matchedAt: null, ignoredBecause: null },
    }),
  );
  const payments = await paymentsOfAccount(tx, run, [...new Set(lines.flatMap(({ reference }) => reference ?? []))]);
  const matches = feedMatches(items, payments).map((match) => ({ match, as: matchedItem(ctx, match) }));
  const matched = new Map(matches.map(({ as }) => [as.id, as]));
  insertItems(
    tx,
    items.map((item) => {
      const as = matched.get(item.id);
      return as ? { ...item, ...as, status: "matched" } : item;
    }),
  );
  recordMatches(tx, ctx, run, matches);
}

/** Matches received money first: one statement may show that a payment was collected and returned, in any order. */
function feedMatches(items: readonly NewItem[], payments: ReadonlyMap<string, PaymentFacts>): readonly NewMatch[] {
  const open = new Map<string, Cents>();
  return items
    .toSorted((one, other) => Number(one.amount < 0) - Number(other.amount < 0))
    .flatMap((item) => {
      const known = payments.get(item.reference ?? "");
      if (!known) return [];
      const payment = { ...known, open: open.get(known.id) ?? known.open };
      if (!isFeedLineOf(item.amount, payment)) return [];
      open.set(payment.id, subtract(payment.open, item.amount));
      const shares = [paymentShare(payment, item.amount)];
      const { reference } = payment;
      return [{ item, reason: "statement_feed" as const, transactionReference: reference, matchedBy: null, shares }];
    });
}
