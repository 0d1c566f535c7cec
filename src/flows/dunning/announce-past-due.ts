import { isOpen } from "../../domain/invoices.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { addDays, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import { CUSTOMER_SUBSCRIPTION_PAST_DUE } from "../../modules/customer-subscriptions/declarations.ts";
import { invoicedOf } from "../../modules/customer-subscriptions/store/bills.ts";
import {
  type BilledSubscription,
  findCustomerSubscription,
  isFirstPastDue,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { findCollection } from "../../modules/dunning/store.ts";
import { isPastDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import { hasPaymentUnderWay } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { appendSubscriptionEvent } from "../customer-subscriptions/apply-outcome.ts";
import { SUBSCRIPTION_PAST_DUE } from "../customer-subscriptions/declarations.ts";
import { missedCollection } from "./missed-collection.ts";

/** Enqueues the event of each subscription with one of these invoices, after they have become past due. */
export async function expectPastDue(tx: Tx, ctx: Ctx, invoices: readonly string[]): Promise<void> {
  for (const id of await invoicedOf(tx, invoices)) enqueue(tx, CUSTOMER_SUBSCRIPTION_PAST_DUE, id, ctx.now);
}

/**
 * `customer_subscription.past_due`: announces that a subscription is past due because one of its invoices is unpaid
 * after its due date (interface 16.13). Announces nothing when an earlier invoice has made it past due. An invoice that
 * no mandate will debit then counts as missed (decisions.md#missed-without-a-mandate); while a payment of it is under
 * way, it is checked again the next day.
 */
export async function announcePastDue(
  tx: Tx,
  ctx: Ctx,
  { id, invoiceId }: BilledSubscription,
): Promise<Instant | null> {
  const today = calendarDay(ctx.now);
  const subscription = await findCustomerSubscription(tx, id, today);
  if (subscription?.collectionMethod === "debit_order") return missWithoutMandate(tx, ctx, subscription, invoiceId);
  // A subscription that is charged to a card is past due, and announced, from the first failed attempt on.
  if (
    subscription?.collectionMethod !== "invoice" ||
    !subscription.isPastDue ||
    !(await isFirstPastDue(tx, id, invoiceId, today))
  )
    return null;
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_PAST_DUE, subscription, await findInvoice(tx, invoiceId));
  return null;
}

/**
 * Marks an open invoice past its due date as missed when no payment of it is under way and no mandate will debit it.
 * Returns when to check again. The caller has locked the subscription.
 */
async function missWithoutMandate(
  tx: Tx,
  ctx: Ctx,
  sub: ShownSubscription,
  invoiceId: InvoiceId,
): Promise<Instant | null> {
  const [invoice, collection, mandate, underWay] = await Promise.all([
    findInvoice(tx, invoiceId),
    findCollection(tx, invoiceId),
    sub.mandateId && findMandate(tx, sub.mandateId),
    hasPaymentUnderWay(tx, invoiceId),
  ]);
  const isLate = invoice && isOpen(invoice) && isPastDue(invoice, ctx.now);
  if (!isLate || !collection || collection.missedAt !== null || mandate?.nextDebitDate) return null;
  if (underWay) return startOfDay(addDays(calendarDay(ctx.now), 1));
  await missedCollection(tx, ctx, {
    sub,
    collection,
    attempt: { cause: "debit_day" },
    reason: "No mandate is active that collects it.",
    isHard: false,
  });
  return null;
}
