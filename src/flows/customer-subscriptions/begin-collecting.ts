import { calendarDay } from "../../kernel/time.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { DEBITS_GATHER } from "../../modules/debit-batches/declarations.ts";
import { anyToCollect } from "../../modules/debit-batches/store/debit-batches.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/dunning/declarations.ts";
import { insertCollections } from "../../modules/dunning/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { latestActionDate } from "../gateways/debit-cut-off.ts";

/** Invoices that were just made for a subscription. */
interface Invoiced {
  readonly sub: Pick<ShownSubscription, "id" | "status" | "collectionMethod">;
  readonly invoices: readonly Invoice[];
}

/**
 * Begins the automatic collection of invoices: from the stored card at once, by debit order on the mandate's next date.
 * Skips the invoice for which a `pending` subscription waits, which is paid on a page, and an invoice that credit notes
 * have paid.
 */
export async function beginCollecting(tx: Tx, ctx: Ctx, made: readonly Invoiced[]): Promise<void> {
  const collected = made.flatMap(({ sub, invoices }) =>
    sub.status !== "pending" && (sub.collectionMethod === "gateway" || sub.collectionMethod === "debit_order")
      ? invoices.filter(({ status }) => status !== "paid").map((invoice) => ({ sub, invoice }))
      : [],
  );
  insertCollections(
    tx,
    collected.map(({ sub, invoice }) => ({
      invoiceId: invoice.id,
      subscriptionId: sub.id,
      missedAt: null,
      isHard: false,
      createdAt: ctx.now,
    })),
  );
  for (const { sub, invoice } of collected)
    if (sub.collectionMethod === "gateway") enqueue(tx, SUBSCRIPTION_COLLECT, invoice.id, ctx.now);
  await gatherNow(
    tx,
    ctx,
    collected.flatMap(({ sub }) => (sub.collectionMethod === "debit_order" ? sub.id : [])),
  );
}

/**
 * Adds debits to batches at once when a mandate of these subscriptions is due, since it may have waited for this bill
 * (decisions.md#debits-wait-for-bills).
 */
export async function gatherNow(
  tx: Tx,
  { organisation, now }: Ctx,
  subscriptions: readonly ShownSubscription["id"][],
): Promise<void> {
  if (subscriptions.length === 0) return;
  if (await anyToCollect(tx, subscriptions, await latestActionDate(tx, calendarDay(now))))
    enqueue(tx, DEBITS_GATHER, organisation.id, now);
}
