import type { CustomerSubscriptionId } from "../../kernel/ids.ts";
import { CUSTOMER_SUBSCRIPTION_PAST_DUE } from "../../modules/customer-subscriptions/declarations.ts";
import { openCollections } from "../../modules/dunning/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/**
 * Enqueues the check whether open invoices past their due dates now count as missed, when a subscription's mandate may
 * no longer debit.
 */
export async function expectMissed(tx: Tx, ctx: Ctx, subscription: CustomerSubscriptionId): Promise<void> {
  for (const { invoiceId } of await openCollections(tx, subscription))
    enqueue(tx, CUSTOMER_SUBSCRIPTION_PAST_DUE, invoiceId, ctx.now);
}
