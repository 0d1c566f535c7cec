// Writes nothing. Reads: customer_subscriptions, gateway_subscriptions, mandates, card_charges, transactions.
import type { CustomerId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../platform/database.ts";

/** A record of a customer that goes on by itself: it is billed, collected or debited, or a charge whose outcome is awaited. */
export interface Running {
  readonly kind: "subscription" | "gateway subscription" | "mandate" | "card charge";
  readonly id: string;
  readonly status: string;
}

/** What is running of a customer, oldest first of each kind; a subscription that another platform bills is not. */
export async function runningOf(tx: Tx, customer: CustomerId): Promise<Running[]> {
  return tx.sql<Running & Record<string, unknown>>`
    select kind, id, status from (
      select 1 as place, 'subscription' as kind, id, status from customer_subscriptions
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status not in ('cancelled', 'expired', 'paused') and collection_method <> 'external'
      union all
      select 2, 'gateway subscription', id, status from gateway_subscriptions
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status in ('active', 'past_due')
      union all
      select 3, 'mandate', id, status from mandates
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status in ('pending', 'active')
      union all
      select 4, 'card charge', t.reference, t.status from card_charges k
        join transactions t on t.organisation_id = ${tx.organisation} and t.id = k.transaction_id
       where k.organisation_id = ${tx.organisation} and t.customer_id = ${customer} and t.status = 'pending') r
     order by place, id`;
}
