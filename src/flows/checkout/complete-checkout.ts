import { CHECKOUT_COMPLETED, CHECKOUT_EXPIRE } from "../../modules/checkout-sessions/declarations.ts";
import { moveCheckout } from "../../modules/checkout-sessions/states.ts";
import { updateCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { askToEndOthers } from "./other-subscriptions.ts";
import { appendCheckoutEvent } from "./session-object.ts";

/**
 * Completes a locked session, whatever its status was: only a payment that was made, or a subscription that began
 * without one, counts (interface 3.9). Saves it with the caller's changes; a completed session does not change.
 */
export async function completeCheckout(tx: Tx, ctx: Ctx, session: CheckoutSession): Promise<CheckoutSession> {
  const status = moveCheckout(session.status, "complete");
  if (!status) return session;
  const after = { ...session, status, updatedAt: ctx.now };
  updateCheckoutSession(tx, after);
  cancelWork(tx, CHECKOUT_EXPIRE, session.id);
  await askToEndOthers(tx, ctx, after);
  await appendCheckoutEvent(tx, ctx, CHECKOUT_COMPLETED, after);
  return after;
}
