// Writes: customer_subscriptions. Reads nothing else.

import { locking } from "../../../domain/locks.ts";
import type { CustomerSubscriptionsRow } from "../../../domain/rows.ts";
import type { CustomerSubscriptionId } from "../../../kernel/ids.ts";
import type { CalendarDay, Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import type { Subscription } from "../rules/planner/types.ts";
import type { CollectionMethod, CustomerSubscriptionStatus } from "../types.ts";

/** A subscription with what counting usage needs of it; its state is without the rates of VAT by day. */
export interface UsedSubscription {
  readonly id: CustomerSubscriptionId;
  readonly externalReference: string | null;
  readonly status: CustomerSubscriptionStatus;
  readonly collectionMethod: CollectionMethod;
  readonly nextDue: CalendarDay | null;
  readonly state: Subscription;
}

/** Locks subscriptions by their ids and the merchant's references until the transaction ends, in the order of their ids. */
export async function lockUsed(
  tx: Tx,
  ids: readonly string[],
  references: readonly string[],
): Promise<UsedSubscription[]> {
  const rows = await locking(tx, "customer subscription").sql<CustomerSubscriptionsRow>`
    select id, external_reference, status, collection_method, next_due, state from customer_subscriptions
     where organisation_id = ${tx.organisation} and (id = any (${ids}) or external_reference = any (${references}))
     order by id for no key update`;
  return rows.map((row) => ({
    id: row.id,
    externalReference: row.external_reference,
    status: row.status,
    collectionMethod: row.collection_method,
    nextDue: row.next_due,
    state: row.state as Subscription,
  }));
}

const COLUMNS: RowColumns<Pick<UsedSubscription, "id" | "state">> = {
  id: ["text", ({ id }) => id],
  state: ["jsonb", ({ state }) => JSON.stringify(state)],
};

/** Stores the usage of locked subscriptions: nothing that has to do with their recurring price. */
export function saveUsage(tx: Tx, used: readonly Pick<UsedSubscription, "id" | "state">[], now: Instant): void {
  tx.queue`
    update customer_subscriptions s set state = n.state, updated_at = ${now} from ${rowsOf(used, COLUMNS)}
     where s.organisation_id = ${tx.organisation} and s.id = n.id`;
}

/** The subscription with the merchant's own reference; null when there is none. */
export async function idOfReference(tx: Tx, reference: string): Promise<CustomerSubscriptionId | null> {
  const [row] = await tx.sql<Pick<UsedSubscription, "id">>`
    select id from customer_subscriptions where organisation_id = ${tx.organisation} and external_reference = ${reference}`;
  return row?.id ?? null;
}

/** The states of subscriptions, which are not locked. */
export async function statesOf(tx: Tx, ids: readonly string[]): Promise<Subscription[]> {
  const rows = await tx.sql<Pick<CustomerSubscriptionsRow, "state">>`
    select state from customer_subscriptions where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return rows.map(({ state }) => state as Subscription);
}
