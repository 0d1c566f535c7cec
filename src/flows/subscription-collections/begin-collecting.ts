import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/subscription-collections/declarations.ts";
import { insertCollections } from "../../modules/subscription-collections/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/** Invoices that were made for a subscription just now. */
interface Invoiced {
  readonly sub: Pick<ShownSubscription, "id" | "status" | "collectionMethod">;
  readonly invoices: readonly Invoice[];
}

/**
 * Begins to collect what the service collects by itself: from the stored card at once, by debit order with the mandate's next batch. What a
 * `pending` subscription waits for is paid on a page, and what credit notes have paid already needs nothing.
 */
export function beginCollecting(tx: Tx, ctx: Ctx, made: readonly Invoiced[]): void {
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
}
