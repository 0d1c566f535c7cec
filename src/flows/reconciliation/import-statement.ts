import { ApiError, invalidField } from "../../kernel/errors.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import type { Line } from "../../modules/reconciliation/rules.ts";
import type { ImportFormBody } from "../../modules/reconciliation/schema.ts";
import { keepAccount, mappingOf } from "../../modules/reconciliation/store/accounts.ts";
import { insertRun, lockReconciliation } from "../../modules/reconciliation/store.ts";
import type { Run } from "../../modules/reconciliation/types.ts";
import { runView } from "../../modules/reconciliation/view.ts";
import type { ColumnMapping } from "../../platform/bank-statements/layout.ts";
import { type ReadStatement, readStatement } from "../../platform/bank-statements/read-statement.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import type { Services } from "../services.ts";
import { beginMatching, LINES_TOGETHER, matchWhole, takeLines } from "./match-lines.ts";
import { endRun, newRun } from "./runs.ts";

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
    gatewayAccountId: null,
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
    const finished = await endRun(tx, ctx, run, matching.place);
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
