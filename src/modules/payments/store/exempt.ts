// Writes: transactions. Reads nothing else.
import type { TransactionId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../platform/database.ts";
import { locking } from "../../../platform/locks.ts";

/** Stores that the goods of a payment without an invoice are exempt from VAT. */
export function markExempt(tx: Tx, ids: readonly TransactionId[]): void {
  if (ids.length === 0) return;
  locking(tx, "transaction").queue`
    update transactions set tax_exempt = true where organisation_id = ${tx.organisation} and id = any (${ids})`;
}
