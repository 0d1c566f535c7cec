// Writes: transactions. Reads nothing else.

import { locking } from "../../../domain/locks.ts";
import type { TransactionId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../platform/database.ts";
import type { SealedColumn, SealedValue } from "../../../platform/sealed.ts";

/** `SealContext.column` of the forms that payers post to a gateway. */
export const HANDOFF_COLUMN = "transactions.handoff";

/** Stores the gateway's answer at the start of a payment. */
export function recordHandoff(
  tx: Tx,
  id: TransactionId,
  handoff: { checkoutRef: string | null; sealed: string | null },
): void {
  locking(tx, "transaction").queue`
    update transactions set checkout_ref = ${handoff.checkoutRef}, handoff_sealed = ${handoff.sealed}
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** The forms that payers post to a gateway, for `secrets rotate`. */
export const SEALED_HANDOFFS: SealedColumn = {
  column: "transactions.handoff_sealed",
  sealedFor: HANDOFF_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, handoff_sealed as sealed from transactions
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(handoff_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update transactions set handoff_sealed = ${after}
     where organisation_id = ${tx.organisation} and id = ${id} and handoff_sealed = ${before}`,
};
