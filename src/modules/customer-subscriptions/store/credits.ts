// Writes: customer_subscription_credits. Reads nothing else.

import { type CustomerSubscriptionId, newId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";

/**
 * A change of a subscription's credit other than its use by a bill: it was given, a bill made it, or it was converted because prices start or
 * stop to include VAT.
 */
export interface CreditEntry {
  readonly subscriptionId: CustomerSubscriptionId;
  readonly creditId: string;
  readonly cause: "given" | "billed" | "restated";
  /** The added amount; for a conversion it may be below zero. */
  readonly amount: Cents;
}

const INSERTED: RowColumns<CreditEntry> = {
  id: ["text", () => newId("cse")],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  credit_id: ["text", ({ creditId }) => creditId],
  cause: ["text", ({ cause }) => cause],
  amount_cents: ["bigint", ({ amount }) => amount],
};

/** Inserts them, in one statement; nothing for an amount of zero. */
export function insertCreditEntries(tx: Tx, entries: readonly CreditEntry[], now: Instant): void {
  const changed = entries.filter(({ amount }) => amount !== 0);
  if (changed.length === 0) return;
  tx.queue`
    insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause, amount_cents, created_at)
    select ${tx.organisation}, n.*, ${now} from ${rowsOf(changed, INSERTED)}
    returning id`;
}
