import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { ZERO } from "../../kernel/money.ts";
import { type BusinessDay, businessDay, type Instant } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { RECONCILIATION_COMPLETED } from "../../modules/reconciliation/declarations.ts";
import type { Line } from "../../modules/reconciliation/rules.ts";
import type { ImportFormBody } from "../../modules/reconciliation/schema.ts";
import { keepAccount, mappingOf } from "../../modules/reconciliation/store/accounts.ts";
import { awaitedPayments } from "../../modules/reconciliation/store/candidates.ts";
import { finishRun, insertItems, insertRun, lockReconciliation } from "../../modules/reconciliation/store.ts";
import type { NewItem, Run } from "../../modules/reconciliation/types.ts";
import { runView } from "../../modules/reconciliation/view.ts";
import type { ColumnMapping } from "../../platform/bank-statements/layout.ts";
import { type ReadStatement, readStatement } from "../../platform/bank-statements/read-statement.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import type { Services } from "../services.ts";
import { beginMatching, LINES_TOGETHER, type Matching, matchWhole, takeLines } from "./match-lines.ts";

/**
 * Imports a bank statement of an account and matches its lines, in one transaction: all of it or nothing (interface 14.5). The file is read through
 * once before, so that a line which cannot be read refuses it as a whole. A mapping that is given is kept for the account, and used for
 * its next files that have those columns. Throws 400 that names what is wrong with the file.
 */
export async function importStatement(
  services: Services,
  ctx: Ctx,
  file: { readonly name: string; readonly bytes: Buffer },
  form: ImportFormBody,
): Promise<Run> {
  const { db } = services;
  const kept = form.mapping ? null : await db.read(ctx.organisation.id, (tx) => mappingOf(tx, form.account));
  const statement = await readAs(file.bytes, form.mapping ?? null, kept);
  const run = newRun(ctx, {
    source: "csv_upload",
    account: form.account,
    currency: currencyOf(statement, form),
    periodStart: form.periodStart ?? statement.first,
    periodEnd: form.periodEnd ?? statement.last,
    fileName: file.name.slice(0, 200).toWellFormed().replaceAll("\0", "") || null,
  });
  return db.transaction(ctx.organisation.id, async (tx) => {
    lockReconciliation(tx);
    insertRun(tx, run);
    const matching = beginMatching(tx, ctx, run);
    let part: Line[] = [];
    for await (const line of statement.lines()) {
      part.push(line);
      if (part.length < LINES_TOGETHER) continue;
      await takeLines(matching, part);
      part = [];
    }
    if (part.length > 0) await takeLines(matching, part);
    await matchWhole(matching);
    keepAccount(tx, form.account, form.mapping ?? null, ctx.now);
    const finished = await finish(matching);
    const action = "POST /reconciliation/imports";
    recordAudit(tx, { ...ctx, action, subject: run.id, before: null, after: runView(finished) });
    return finished;
  });
}

/** With the mapping that is given, else with the one of the account's last file, else by the headings alone. */
async function readAs(bytes: Buffer, given: ColumnMapping | null, kept: ColumnMapping | null): Promise<ReadStatement> {
  if (given || !kept) return readStatement(bytes, given);
  try {
    return await readStatement(bytes, kept);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // Another export of the bank: when its headings say nothing either, what the mapping lacks is the better message.
    return readStatement(bytes, null).catch(() => {
      throw error;
    });
  }
}

function currencyOf(statement: ReadStatement, { currency }: ImportFormBody): string {
  if (currency && statement.currency && currency !== statement.currency)
    throw invalidField(["currency"], `The statement is in ${statement.currency}, not in ${currency}.`);
  return statement.currency ?? currency ?? DEFAULT_CURRENCY;
}

/** A run that begins. Throws 400 when its period ends before it begins. */
function newRun(
  ctx: Ctx,
  about: Pick<Run, "source" | "account" | "currency" | "periodStart" | "periodEnd" | "fileName">,
): Run {
  if (about.periodEnd < about.periodStart)
    throw invalidField(["periodEnd"], `periodEnd must not be before periodStart, ${about.periodStart}.`);
  return {
    ...about,
    id: newId("rcn"),
    gatewayAccountId: null,
    status: "running",
    totals: { items: 0, matched: 0, unmatched: 0, notReceived: 0, amountMatched: ZERO, amountUnmatched: ZERO },
    failure: null,
    startedAt: ctx.now,
    finishedAt: null,
  };
}

/** Adds the payments of the period that the statement lacks, ends the run and sends its event. */
async function finish(matching: Matching): Promise<Run> {
  const { tx, ctx, run } = matching;
  await addNotReceived(matching, { from: run.periodStart, to: run.periodEnd });
  const finished = await finishRun(tx, run.id, ctx.now);
  assert(finished, "a run that has begun is there");
  appendEvent(tx, ctx.now, RECONCILIATION_COMPLETED, run.id, runView(finished));
  return finished;
}

async function addNotReceived(matching: Matching, days: { readonly from: BusinessDay; readonly to: BusinessDay }) {
  const { tx, run } = matching;
  for (let after: { paidAt: Instant; id: string } | null = null; ; ) {
    const payments = await awaitedPayments(tx, { ...days, currency: run.currency, after, limit: LINES_TOGETHER });
    insertItems(
      tx,
      payments.map(
        (payment): NewItem => ({
          id: newId("rci"),
          runId: run.id,
          place: matching.place++,
          date: businessDay(payment.paidAt),
          description: `Payment ${payment.reference}`,
          amount: payment.amount,
          reference: payment.reference,
          status: "not_received",
          transactionReference: payment.reference,
          matchId: null,
          reason: null,
          matchedBy: null,
          matchedAt: null,
          key: null,
          occurrence: null,
        }),
      ),
    );
    const last = payments.at(-1);
    if (!last || payments.length < LINES_TOGETHER) return;
    after = last;
  }
}
