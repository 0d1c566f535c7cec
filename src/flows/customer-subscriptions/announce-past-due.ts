import { businessDay } from "../../kernel/time.ts";
import { CUSTOMER_SUBSCRIPTION_PAST_DUE } from "../../modules/customer-subscriptions/declarations.ts";
import {
  findCustomerSubscription,
  invoicedOf,
  isFirstPastDue,
  type lockSubscriptionOfInvoice,
} from "../../modules/customer-subscriptions/store.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { appendSubscriptionEvent } from "./apply-outcome.ts";
import { SUBSCRIPTION_PAST_DUE } from "./declarations.ts";

/** After invoices have become past due: asks for the event of each subscription that one of them is of. */
export async function expectPastDue(tx: Tx, ctx: Ctx, invoices: readonly string[]): Promise<void> {
  for (const id of await invoicedOf(tx, invoices)) enqueue(tx, CUSTOMER_SUBSCRIPTION_PAST_DUE, id, ctx.now);
}

/**
 * `customer_subscription.past_due`: tells that a subscription is past due since an invoice of it is unpaid past its due date (interface 16.13). Nothing is
 * told when an earlier invoice has made it so. Returns null.
 */
export async function announcePastDue(
  tx: Tx,
  ctx: Ctx,
  { id, invoiceId }: NonNullable<Awaited<ReturnType<typeof lockSubscriptionOfInvoice>>>,
): Promise<null> {
  const today = businessDay(ctx.now);
  const subscription = await findCustomerSubscription(tx, id, today);
  // What the service collects by itself is past due from the first attempt that failed, and told then.
  if (
    subscription?.collectionMethod !== "invoice" ||
    !subscription.isPastDue ||
    !(await isFirstPastDue(tx, id, invoiceId, today))
  )
    return null;
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_PAST_DUE, subscription, await findInvoice(tx, invoiceId));
  return null;
}
