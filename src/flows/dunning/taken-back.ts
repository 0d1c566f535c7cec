import type { Reversal } from "../../domain/reversal.ts";
import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/dunning/declarations.ts";
import { takenBack } from "../../modules/dunning/rules.ts";
import { findCollection, insertCollections, saveCollection } from "../../modules/dunning/store.ts";
import type { Collection } from "../../modules/dunning/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { SUBSCRIPTION_PAST_DUE } from "../customer-subscriptions/declarations.ts";
import { subscriptionObject } from "../customer-subscriptions/subscription-object.ts";
import { invoiceObject } from "../invoices/invoice-object.ts";
import { messageAboutInvoice } from "../invoices/message-invoice.ts";
import { currentSettings } from "../organisations/settings.ts";
import { mailMissedCollection } from "./missed-collection-mail.ts";

/** A payment of an invoice of a subscription that a bank reversed. */
interface TakenBack {
  /** The subscription as it was before, locked; the service collects it automatically. */
  readonly sub: ShownSubscription;
  readonly invoiceId: Collection["invoiceId"];
  readonly reversal: Reversal;
  /** The date on which the debit order is retried; null when there is none. */
  readonly nextDebit?: CalendarDay | null;
}

/**
 * Stores that a bank reversed the payment of an invoice, which is open again (interface 16.20): the subscription
 * becomes past due, its card is not charged automatically, and the payer is mailed the page for paying, and
 * sent it by message where the settings say so. For a first payment, which was made on its page, this starts the
 * collection.
 */
export async function takeBackCollection(
  tx: Tx,
  ctx: Ctx,
  { sub, invoiceId, reversal, nextDebit = null }: TakenBack,
): Promise<void> {
  const begun = { invoiceId, subscriptionId: sub.id, missedAt: null, isHard: false, createdAt: ctx.now };
  const known = await findCollection(tx, invoiceId);
  if (!known) insertCollections(tx, [begun]);
  const { isHard } = reversal;
  const before = known ?? { ...begun, retries: 0, newCardId: null, ended: null };
  const method = sub.collectionMethod === "debit_order" ? "debit_order" : "gateway";
  const collection = takenBack(before, { method, isHard, now: ctx.now });
  saveCollection(tx, collection);
  cancelWork(tx, SUBSCRIPTION_COLLECT, invoiceId);
  const [after, invoice, { dunning }] = await Promise.all([
    findCustomerSubscription(tx, sub.id, calendarDay(ctx.now)),
    findInvoice(tx, invoiceId),
    currentSettings(tx),
  ]);
  assert(after && invoice, "what is collected stays");
  if (!sub.isPastDue && after.isPastDue)
    appendEvent(tx, ctx.now, SUBSCRIPTION_PAST_DUE, sub.id, {
      ...subscriptionObject(ctx, after),
      invoice: invoiceObject(ctx, invoice),
    });
  const isTakenBack = collection.ended === "taken_back";
  mailMissedCollection(tx, ctx, {
    sub: after,
    invoice,
    next: null,
    collection,
    nextDebit,
    isHard,
    isTakenBack,
    dunning,
    reason: reversal.reason,
  });
  await messageAboutInvoice(tx, ctx, "payment_failed", invoice);
}
