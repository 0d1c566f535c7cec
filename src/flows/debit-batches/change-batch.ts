import { nextBusinessDay } from "../../kernel/business-days.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { addSeconds, type BusinessDay, businessDay, DAY_SECONDS } from "../../kernel/time.ts";
import { DEBIT_BATCH_SUBMIT } from "../../modules/debit-batches/declarations.ts";
import { figuresOf, findDebitBatch, lockDebitBatch } from "../../modules/debit-batches/store.ts";
import { debitBatchView } from "../../modules/debit-batches/view.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { closeBatch } from "./close-batch.ts";
import { gatherInto } from "./gather-debits.ts";

/** Over how many days the merchant's share of unpaid and disputed debits is counted. */
const RECENT_DAYS = 90;

/** A batch with its results and forecast. Throws 404. */
export async function readBatch(tx: Tx, ctx: Ctx, id: string): Promise<ReturnType<typeof debitBatchView>> {
  const batch = await findDebitBatch(tx, id);
  if (!batch) throw notFound("debit batch");
  return debitBatchView(batch, await figuresOf(tx, batch, addSeconds(ctx.now, -RECENT_DAYS * DAY_SECONDS)));
}

/**
 * Gathers what is due by a date, which is moved to a business day. Answers the batch, of the first gateway account when mandates of several
 * are due. Locks as `gatherInto`. Throws 400 for a date in the past, and when nothing is due.
 */
export async function makeBatch(tx: Tx, ctx: Ctx, date: BusinessDay): Promise<ReturnType<typeof debitBatchView>> {
  if (date < businessDay(ctx.now)) throw invalidField(["actionDate"], "actionDate must not be in the past.");
  const actionDate = nextBusinessDay(date);
  const [first] = await gatherInto(tx, ctx, actionDate);
  if (!first) throw invalid(`No mandate that may be collected is due by ${actionDate}.`);
  return readBatch(tx, ctx, first);
}

/** Has an open batch submitted at once, without what `closeBatch` withdraws; any other stays as it is. Locks the batch. Throws 404. */
export async function sendBatch(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<Readonly<Record<"before" | "after", ReturnType<typeof debitBatchView>>>> {
  const batch = await lockDebitBatch(tx, id);
  if (!batch) throw notFound("debit batch");
  const before = await readBatch(tx, ctx, id);
  if (batch.status === "open") {
    await closeBatch(tx, batch);
    enqueue(tx, DEBIT_BATCH_SUBMIT, batch.id, ctx.now);
  }
  return { before, after: await readBatch(tx, ctx, id) };
}
