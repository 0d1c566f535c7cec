import { moveCheckout } from "../../modules/checkout-sessions/states.ts";
import { updateCheckoutSession } from "../../modules/checkout-sessions/store.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** `checkout_session.expire`: ends a locked session that nobody has completed, without an event (interface 3.9). */
export async function expireCheckoutSession(tx: Tx, { now }: Ctx, session: CheckoutSession): Promise<null> {
  const status = moveCheckout(session.status, "expire");
  if (status && session.expiresAt <= now) updateCheckoutSession(tx, { ...session, status, updatedAt: now });
  return null;
}
