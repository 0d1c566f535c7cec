import { ApiError, invalidField } from "../../kernel/errors.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import type { Line } from "../../modules/reconciliation/rules.ts";
import type { ImportFormBody } from "../../modules/reconciliation/schema.ts";
import { keepBankAccount, mappingOf } from "../../modules/reconciliation/store/accounts.ts";
import { insertRun, lockReconciliation } from "../../modules/reconciliation/store/runs.ts";
import type { Run } from "../../modules/reconciliation/types.ts";
import { runView } from "../../modules/reconciliation/view.ts";
import type { ReadStatement } from "../../platform/bank-statements/read-statement.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { isManualTransfer } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import { aheadWarnings } from "./days-ahead.ts";
import { beginRecognition } from "./known-lines.ts";
import { beginMatching, LINES_TOGETHER, matchWhole, takeLines } from "./match-bank-lines.ts";
import { endRun, newRun } from "./runs.ts";

/**
 * Imports a bank statement of an account and matches its lines, in one transaction: all of it or nothing
 * (interface 14.5). The whole file is read once beforehand, so that an unreadable line refuses it as a whole. A mapping
 * in the request is stored for the account, and used for its next files that have those columns. A file that cannot be
 * read is recorded as a failed run with the reason. Throws 400 that says what is wrong with the file.
 */
export async function importStatement(
  services: Services,
  ctx: Ctx,
  file: { readonly name: string; readonly bytes: Buffer },
  form: ImportFormBody,
): Promise<Run> {
  const { db, fileReader } = services;
  const kept = form.mapping ? null : await db.read(ctx.organisation.id, (tx) => mappingOf(tx, form.account));
  const fileName = file.name.slice(0, 200).toWellFormed().replaceAll("\0", "") || null;
  const about = { source: "csv_upload", account: form.account, gatewayAccountId: null, fileName } as const;
  const columns = kept ? { kept } : { mapping: form.mapping ?? null };
  const statement = await fileReader
    .statement(ctx.organisation.id, file.bytes, columns)
    .catch(async (error: unknown) => {
      if (error instanceof ApiError && error.status === 400)
        await db.transaction(ctx.organisation.id, async (tx) =>
          recordUnread(tx, ctx, { ...about, failure: error.message }),
        );
      throw error;
    });
  const run = newRun(ctx, {
    ...about,
    currency: currencyOf(statement, form),
    ...periodOf(statement, form, calendarDay(ctx.now)),
  });
  return db.transaction(ctx.organisation.id, async (tx) => {
    lockReconciliation(tx);
    const gateway = form.gatewayId === undefined ? null : await transferAccount(tx, form.gatewayId);
    insertRun(tx, { ...run, warnings: [...statement.warnings, ...aheadWarnings(statement, calendarDay(ctx.now))] });
    const known = await beginRecognition(tx, run, statement.lines());
    const matching = beginMatching(tx, ctx, run, known);
    let part: Line[] = [];
    for await (const line of statement.lines()) {
      part.push(line);
      if (part.length < LINES_TOGETHER) continue;
      await takeLines(matching, part);
      part = [];
    }
    if (part.length > 0) await takeLines(matching, part);
    await matchWhole(matching);
    keepBankAccount(
      tx,
      form.account,
      // A mapping for one OFX file does not apply to another.
      { mapping: statement.format === "csv" ? (form.mapping ?? null) : null, gatewayAccountId: gateway?.id ?? null },
      ctx.now,
    );
    const { duplicates } = known;
    const rows = { ...statement.rows, lines: statement.rows.lines - duplicates, duplicates };
    const dated = statement.first ?? form.periodStart ?? form.periodEnd ?? null;
    const finished = await endRun(tx, ctx, { ...run, rows }, dated === null ? null : known.place);
    const action = "POST /reconciliation/imports";
    recordAudit(tx, { ...ctx, action, subject: run.id, before: null, after: runView(finished) });
    return finished;
  });
}

/**
 * The days of a statement: those that were given, else those of its lines; without lines those that the statement says
 * it covers, else today.
 */
function periodOf(
  { first, last }: ReadStatement,
  { periodStart, periodEnd }: ImportFormBody,
  today: CalendarDay,
): Pick<Run, "periodStart" | "periodEnd"> {
  const from = periodStart ?? first ?? periodEnd ?? today;
  return { periodStart: from, periodEnd: periodEnd ?? last ?? from };
}

/** Stores that a file could not be read, and why. Its days are unknown, so the run has the day on which it was sent. */
function recordUnread(
  tx: Tx,
  ctx: Ctx,
  {
    failure,
    ...about
  }: Pick<Run, "source" | "account" | "gatewayAccountId" | "fileName"> & { readonly failure: string },
): void {
  const today = calendarDay(ctx.now);
  const run = newRun(ctx, { ...about, currency: DEFAULT_CURRENCY, periodStart: today, periodEnd: today });
  insertRun(tx, { ...run, status: "failed", failure, finishedAt: ctx.now });
}

/** The bank transfer account that the request names for the statement. Throws 400 for any other account. */
async function transferAccount(tx: Tx, id: string): Promise<GatewayAccount> {
  const account = await findGatewayAccount(tx, id);
  if (!account || !isManualTransfer(account.type))
    throw invalidField(["gatewayId"], "gatewayId must be the id of a bank transfer account (GET /gateways).");
  return account;
}

function currencyOf(statement: ReadStatement, { currency }: ImportFormBody): string {
  if (currency && statement.currency && currency !== statement.currency)
    throw invalidField(["currency"], `The statement is in ${statement.currency}, not in ${currency}.`);
  return statement.currency ?? currency ?? DEFAULT_CURRENCY;
}
