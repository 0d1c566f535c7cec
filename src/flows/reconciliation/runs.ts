import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { invalidField } from "../../kernel/errors.ts";
import { ZERO } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { RECONCILIATION_COMPLETED } from "../../modules/reconciliation/declarations.ts";
import { type AwaitedQuery, awaitedPayments } from "../../modules/reconciliation/store/awaited.ts";
import { finishRun, insertItems } from "../../modules/reconciliation/store/runs.ts";
import type { NewItem, Run } from "../../modules/reconciliation/types.ts";
import { runView } from "../../modules/reconciliation/view.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { LINES_TOGETHER } from "./match-bank-lines.ts";

type About = "source" | "account" | "gatewayAccountId" | "currency" | "periodStart" | "periodEnd" | "fileName";

/** A new run. Throws 400 when its period ends before it begins. */
export function newRun({ now }: Pick<Ctx, "now">, about: Pick<Run, About>): Run {
  if (about.periodEnd < about.periodStart)
    throw invalidField(["periodEnd"], `periodEnd must not be before periodStart, ${about.periodStart}.`);
  return {
    ...about,
    id: newId("rcn"),
    status: "running",
    totals: { items: 0, matched: 0, unmatched: 0, notReceived: 0, amountMatched: ZERO, amountUnmatched: ZERO },
    failure: null,
    startedAt: now,
    finishedAt: null,
    rows: null,
    warnings: [],
    withdrawnAt: null,
    withdrawnBy: null,
  };
}

/**
 * Adds the payments of the period that the statement lacks, from `place` on, ends the run and appends its event.
 * Without a place none counts as lacking: a statement that names no day says nothing about any day.
 */
export async function endRun(tx: Tx, ctx: Pick<Ctx, "now">, run: Run, place: number | null): Promise<Run> {
  if (place !== null) await addNotReceived(tx, run, place);
  const finished = await finishRun(tx, run, ctx.now);
  assert(finished, "a run that has begun is there");
  appendEvent(tx, ctx.now, RECONCILIATION_COMPLETED, run.id, runView(finished));
  return finished;
}

async function addNotReceived(tx: Tx, run: Run, first: number): Promise<void> {
  const { periodStart: from, periodEnd: to, currency, gatewayAccountId } = run;
  const account = run.source === "csv_upload" ? run.account : undefined;
  let place = first;
  for (let after: AwaitedQuery["after"] = null; ; ) {
    const payments = await awaitedPayments(tx, {
      from,
      to,
      currency,
      gatewayAccountId,
      account,
      after,
      limit: LINES_TOGETHER,
    });
    insertItems(
      tx,
      payments.map(
        (payment): NewItem => ({
          id: newId("rci"),
          runId: run.id,
          place: place++,
          date: calendarDay(payment.paidAt),
          description: `Payment ${payment.reference}`,
          amount: payment.amount,
          reference: payment.reference,
          status: "not_received",
          transactionReference: payment.reference,
          matchId: null,
          reason: null,
          matchedBy: null,
          matchedAt: null,
          ignoredBecause: null,
          key: null,
          occurrence: null,
          bankKey: null,
        }),
      ),
    );
    const last = payments.at(-1);
    if (!last || payments.length < LINES_TOGETHER) return;
    after = last;
  }
}
