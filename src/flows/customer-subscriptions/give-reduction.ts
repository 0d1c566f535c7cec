import { requireWhole } from "../../kernel/amount-in.ts";
import type { Credit, Discount, Subscription } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { insertCreditEntries } from "../../modules/customer-subscriptions/store/credits.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { lockForAction, requireCollected, requireNotEnded, updated } from "./act-on-subscription.ts";

/** A subscription before an action and after it. */
type Acted = Promise<{ before: ShownSubscription; after: ShownSubscription }>;

/**
 * Gives a discount, which the next period's bill subtracts once (interface 4.8, discount). Locks as `lockForAction`.
 * Throws 404; 409 `external_subscription`; 409 `invalid_state` when the subscription has ended.
 */
export const giveDiscount = (tx: Tx, ctx: Ctx, id: string, given: Omit<Discount, "id">): Acted =>
  give(tx, ctx, id, (state) => ({ discounts: [...state.discounts, { id: newId("csd"), ...given }] }));

/**
 * Gives a credit, with VAT when the price includes it, else without; the next bills use it up (interface 4.8, 16.10).
 * Locks and throws as `giveDiscount`; 400 for a fraction of the currency's smallest unit.
 */
export async function giveCredit(tx: Tx, ctx: Ctx, id: string, given: Omit<Credit, "id">): Acted {
  const credit = { id: newId("csd"), ...given };
  const acted = await give(tx, ctx, id, ({ terms, credits }) => {
    requireWhole(terms.price.currency, given.amount, ["amount"]);
    return { credits: [...credits, credit] };
  });
  const entry = { subscriptionId: acted.after.id, creditId: credit.id, cause: "given", amount: credit.amount } as const;
  insertCreditEntries(tx, [entry], ctx.now);
  return acted;
}

async function give(tx: Tx, ctx: Ctx, id: string, change: (state: Subscription) => Partial<Subscription>): Acted {
  const before = await lockForAction(tx, ctx, id);
  requireCollected(before);
  requireNotEnded(before);
  return { before, after: updated(tx, ctx, before, { ...before.state, ...change(before.state) }) };
}
