import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { findCustomerSubscription } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/dunning/declarations.ts";
import { missed, stepAfterMiss } from "../../modules/dunning/rules.ts";
import { insertAttempt, saveAttempt, saveCollection } from "../../modules/dunning/store.ts";
import type { Attempt, Collection } from "../../modules/dunning/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { transactionView } from "../../modules/payments/view.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { SUBSCRIPTION_PAST_DUE, SUBSCRIPTION_PAYMENT_FAILED } from "../customer-subscriptions/declarations.ts";
import { subscriptionObject } from "../customer-subscriptions/subscription-object.ts";
import { invoiceObject } from "../invoices/invoice-object.ts";
import { messageAboutInvoice } from "../invoices/message-invoice.ts";
import { currentSettings } from "../organisations/settings.ts";
import { recordOf } from "../payments/transaction-record.ts";
import { mailMissedCollection } from "./missed-collection-mail.ts";

/** A failed attempt: one with a payment, or one for which no gateway could be asked. */
interface Missed {
  readonly sub: ShownSubscription;
  readonly collection: Collection;
  readonly attempt: Attempt | Pick<Attempt, "cause">;
  /** The reason, for people. */
  readonly reason: string;
  /** Whether the decline is hard: the card will never pay. */
  readonly isHard: boolean;
  /** Whether the subscription was given another card, mandate or method meanwhile, about which the decline says nothing. */
  readonly isHandedOver?: boolean;
  readonly payment?: Transaction;
  /** The date of the mandate on which a debit order is retried; null when there is none. */
  readonly nextDebit?: CalendarDay | null;
}

/**
 * Stores a failed attempt and its consequences (interface 16.16): the subscription becomes past due, the next attempt
 * or the final action is enqueued, the payer is mailed the next step, and sent a message where the settings say so, and
 * the events are appended. The caller has locked the subscription.
 */
export async function missedCollection(
  tx: Tx,
  ctx: Ctx,
  { sub, payment, nextDebit = null, isHandedOver = false, ...of }: Missed,
): Promise<void> {
  const { dunning } = await currentSettings(tx);
  const kept = missed(of.collection, { isHard: of.isHard && !isHandedOver, now: ctx.now });
  // The charge may have been pending when the subscription ended: then there is no next step.
  const collection: Collection = hasEnded(sub) ? { ...kept, ended: "stopped" } : kept;
  const next = sub.collectionMethod === "gateway" ? stepAfterMiss(collection, dunning, ctx.now) : null;
  saveCollection(tx, collection);
  const failed = { status: "failed", reason: of.reason, isHard: of.isHard } as const;
  if ("id" in of.attempt) saveAttempt(tx, { ...of.attempt, ...failed });
  else {
    const { subscriptionId, invoiceId } = collection;
    const none = { id: newId("att"), subscriptionId, invoiceId, transactionId: null, createdAt: ctx.now } as const;
    insertAttempt(tx, { ...none, ...of.attempt, ...failed });
  }
  if (next) enqueue(tx, SUBSCRIPTION_COLLECT, collection.invoiceId, next.at);
  const [after, invoice] = await Promise.all([
    findCustomerSubscription(tx, sub.id, calendarDay(ctx.now)),
    findInvoice(tx, collection.invoiceId),
  ]);
  assert(after && invoice, "what is collected stays");
  const data = { ...subscriptionObject(ctx, after), invoice: invoiceObject(ctx, invoice) };
  const shown = payment && transactionView(await recordOf(tx, ctx, payment));
  appendEvent(tx, ctx.now, SUBSCRIPTION_PAYMENT_FAILED, sub.id, { ...data, payment: { ...data.payment, ...shown } });
  if (!sub.isPastDue && after.isPastDue) appendEvent(tx, ctx.now, SUBSCRIPTION_PAST_DUE, sub.id, data);
  mailMissedCollection(tx, ctx, {
    sub: after,
    invoice,
    next,
    collection,
    nextDebit,
    isHard: kept.isHard,
    dunning,
    reason: of.reason,
  });
  await messageAboutInvoice(tx, ctx, "payment_failed", invoice);
}
