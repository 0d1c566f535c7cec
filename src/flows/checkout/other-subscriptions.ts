import { calendarDay } from "../../kernel/time.ts";
import { lockCards } from "../../modules/cards/store.ts";
import { CHECKOUT_END_OTHERS } from "../../modules/checkout-sessions/declarations.ts";
import { subscriptionsOfSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscriptions,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { cancelNow } from "../customer-subscriptions/cancel-subscription.ts";

/** The ids of the other subscriptions that a session has made, such as one for a plan that its payer chose earlier. */
async function othersOf(tx: Tx, { id, packageId, subscriptionId }: CheckoutSession): Promise<string[]> {
  const made = packageId === null ? [] : await subscriptionsOfSession(tx, id);
  return made.filter((other) => other !== subscriptionId);
}

/** Enqueues `endOtherSubscriptions` for a session that was just completed, when it has others. */
export async function askToEndOthers(tx: Tx, { now }: Ctx, session: CheckoutSession): Promise<void> {
  if ((await othersOf(tx, session)).length > 0) enqueue(tx, CHECKOUT_END_OTHERS, session.id, now);
}

/**
 * `checkout_session.end_others`: ends the subscriptions that a completed, locked session has made and not sold
 * (decisions.md#a-session-sells-once). They wait for their first charge, so their invoices are cancelled. Locks them,
 * the cards of their customers, then as `cancelInvoice`.
 */
export async function endOtherSubscriptions(tx: Tx, ctx: Ctx, session: CheckoutSession): Promise<null> {
  const locked = await lockCustomerSubscriptions(tx, await othersOf(tx, session));
  const today = calendarDay(ctx.now);
  const found = await Promise.all([...locked.keys()].map((id) => findCustomerSubscription(tx, id, today)));
  const waiting = found.filter((one) => one?.status === "pending").filter((one) => one !== null);
  for (const { customer } of waiting) await lockCards(tx, customer.id);
  if (waiting.length > 0) lockNumbers(tx, "invoice");
  for (const one of waiting) await cancelNow(tx, ctx, one, null);
  return null;
}
