import { newId } from "../../kernel/ids.ts";
import type { Discount } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { saveCustomerSubscription } from "../../modules/customer-subscriptions/store.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { lockForAction, requireCollected, requireNotEnded } from "./act-on-subscription.ts";

/**
 * Gives a discount, which the next bill of a period takes off once (interface 4.8, discount). Locks as `lockForAction`. Throws 404; 409
 * `external_subscription`; 409 `invalid_state` when the subscription has ended.
 */
export async function giveDiscount(
  tx: Tx,
  ctx: Ctx,
  id: string,
  given: Omit<Discount, "id">,
): Promise<{ before: ShownSubscription; after: ShownSubscription }> {
  const before = await lockForAction(tx, ctx, id);
  requireCollected(before);
  requireNotEnded(before);
  const discounts = [...before.state.discounts, { id: newId("csd"), ...given }];
  const after = { ...before, state: { ...before.state, discounts }, updatedAt: ctx.now };
  saveCustomerSubscription(tx, after);
  return { before, after };
}
