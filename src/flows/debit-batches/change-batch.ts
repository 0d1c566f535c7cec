import { nextBusinessDay } from "../../kernel/business-days.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import { addSeconds, type CalendarDay, calendarDay, DAY_SECONDS } from "../../kernel/time.ts";
import { DEBIT_BATCH_SUBMIT, DEBITS_GATHER_BY } from "../../modules/debit-batches/declarations.ts";
import { findDebitBatch, listBatchesOf, lockDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import { figuresOf } from "../../modules/debit-batches/store/figures.ts";
import { listUnpaidDebits } from "../../modules/debit-batches/store/returned.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { debitBatchSummary, debitBatchView } from "../../modules/debit-batches/view.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import { ChangedMeanwhile } from "../../platform/faults.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { closeBatch } from "./close-batch.ts";
import { gatherNext, gatherUpTo } from "./gather-debits.ts";
import { gatherInvoices } from "./gather-invoices.ts";

/** The number of days over which the merchant's share of unpaid and disputed debits is counted. */
const RECENT_DAYS = 90;
/** The largest number of unpaid debits that a batch shows. */
const UNPAID_SHOWN = 100;
/** Seconds after which due work adds the debits that a request left because it ended early. */
const FINISH_SECONDS = 60;

/** A batch with its results and forecast. Throws 404. */
export async function readBatch(tx: Tx, ctx: Ctx, id: string): Promise<ReturnType<typeof debitBatchView>> {
  const batch = await findDebitBatch(tx, id);
  if (!batch) throw notFound("debit batch");
  const [figures, unpaid] = await Promise.all([
    figuresOf(tx, batch, addSeconds(ctx.now, -RECENT_DAYS * DAY_SECONDS)),
    listUnpaidDebits(tx, batch.id, UNPAID_SHOWN),
  ]);
  return debitBatchView(batch, figures, unpaid);
}

/** A batch that staff made, with all batches of the same request: one for each gateway account. */
type MadeBatch = ReturnType<typeof debitBatchView> & {
  readonly batches: readonly ReturnType<typeof debitBatchSummary>[];
};

/**
 * Begins to add to batches the debits that are due by a date, which is moved to a business day; due work adds the rest
 * unless `finishBatches` does. Returns the batch. Locks as `gatherNext` or as `gatherInvoices`. Throws 400 for a date
 * in the past, and when nothing is due; `ChangedMeanwhile` when what is due changes at the same moment.
 */
export async function beginBatches(tx: Tx, ctx: Ctx, date: CalendarDay): Promise<DebitBatch["id"]> {
  if (date < calendarDay(ctx.now)) throw invalidField(["actionDate"], "actionDate must not be in the past.");
  const actionDate = nextBusinessDay(date);
  const by = { actionDate, accounts: null };
  const next = await gatherNext(tx, ctx, by);
  if (next === "changed") throw changedMeanwhile();
  const batch = next ?? (await gatherInvoices(tx, ctx, by, null, ["debits"]))?.batch;
  if (!batch) throw invalid(`No mandate that may be collected is due by ${actionDate}.`);
  enqueue(tx, DEBITS_GATHER_BY, actionDate, addSeconds(ctx.now, FINISH_SECONDS));
  return batch;
}

const changedMeanwhile = (): ChangedMeanwhile =>
  new ChangedMeanwhile(
    "invalid_state",
    409,
    "What is due was changed, or added to a batch by another request, at the same moment. Send the request again, and it looks anew.",
    { headers: { "retry-after": "1" } },
  );

/** Adds the remaining debits of the batch's date. */
export async function finishBatches(services: Services, ctx: Ctx, id: string): Promise<void> {
  const batch = await services.db.read(ctx.organisation.id, (tx) => findDebitBatch(tx, id));
  if (batch) await gatherBy(services, ctx, batch.actionDate);
}

/** The due work that adds the remaining debits by a date, which is its subject. */
export async function gatherBy(services: Services, ctx: Ctx, actionDate: string): Promise<null> {
  await gatherUpTo(services, ctx, actionDate as CalendarDay);
  return null;
}

/**
 * Returns the batch that staff made, once all debits are added, and cancels the due work that would add the rest.
 * Throws 404.
 */
export async function endBatches(tx: Tx, ctx: Ctx, id: string): Promise<MadeBatch> {
  const batch = await readBatch(tx, ctx, id);
  cancelWork(tx, DEBITS_GATHER_BY, batch.actionDate);
  const made = await listBatchesOf(tx, batch.actionDate);
  return { ...batch, batches: made.filter((one) => one.status === "open" || one.id === id).map(debitBatchSummary) };
}

/**
 * Submits an open batch at once, without the debits that `closeBatch` withdraws; any other batch does not change. Locks
 * the batch. Throws 404.
 */
export async function sendBatch(
  tx: Tx,
  ctx: Ctx,
  id: string,
): Promise<Readonly<Record<"before" | "after", ReturnType<typeof debitBatchView>>>> {
  const batch = await lockDebitBatch(tx, id);
  if (!batch) throw notFound("debit batch");
  const before = await readBatch(tx, ctx, id);
  if (batch.status === "open") {
    await closeBatch(tx, ctx, batch);
    enqueue(tx, DEBIT_BATCH_SUBMIT, batch.id, ctx.now);
  }
  return { before, after: await readBatch(tx, ctx, id) };
}
