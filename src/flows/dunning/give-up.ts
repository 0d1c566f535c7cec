import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { isOpen } from "../../domain/invoices.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { saveCollection } from "../../modules/dunning/store.ts";
import type { Collection } from "../../modules/dunning/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { bringUpToDate } from "../customer-subscriptions/bill-subscription.ts";
import { cancelNow } from "../customer-subscriptions/cancel-subscription.ts";
import { lockInvoiceForChange } from "../invoices/lock-invoice.ts";
import { currentSettings } from "../organisations/settings.ts";

/**
 * Ends the retries of a missed collection by the settings' final action (interface 16.16): the subscription is
 * cancelled, or stays past due; its invoice stays open in either case. Does nothing when the invoice has been paid or
 * cancelled. The caller has locked the subscription. Locks the invoice numbers, then as `lockInvoiceForChange`.
 */
export async function giveUp(tx: Tx, ctx: Ctx, sub: ShownSubscription, collection: Collection): Promise<void> {
  // A cancelled subscription may be billed for its usage.
  lockNumbers(tx, "invoice");
  const locked = await lockInvoiceForChange(tx, collection.invoiceId);
  const status = locked?.invoice.status ?? "cancelled";
  const open = isOpen({ status });
  saveCollection(tx, {
    ...collection,
    newCardId: null,
    ended: open ? "given_up" : status === "paid" ? "paid" : "cancelled",
  });
  const { dunning } = await currentSettings(tx);
  if (open && dunning.finalAction === "cancel" && !hasEnded(sub))
    await cancelNow(tx, ctx, await bringUpToDate(tx, ctx, sub), "It could not be collected.");
}
