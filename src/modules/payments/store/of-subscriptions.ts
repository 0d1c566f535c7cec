// Writes nothing. Reads: transactions.
import type { Tx } from "../../../platform/database.ts";
import type { TransactionsRow } from "../../../platform/rows.ts";

/** The reference of the first payment of a subscription that was paid; null before that. */
export async function firstPaidOf(tx: Tx, subscription: string): Promise<string | null> {
  const [row] = await tx.sql<Pick<TransactionsRow, "reference">>`
    select reference from transactions where organisation_id = ${tx.organisation} and subscription_id = ${subscription} and paid_at is not null
     order by id limit 1`;
  return row?.reference ?? null;
}
