// Writes: reversals. Reads nothing else.

import type { Reversal } from "../../domain/reversal.ts";
import type { ReversalsRow } from "../../domain/rows.ts";
import type { InvoiceId, TransactionId } from "../../kernel/ids.ts";
import type { Tx } from "../../platform/database.ts";

const fromRow = (row: ReversalsRow): Reversal => ({
  id: row.id,
  transactionId: row.transaction_id,
  amount: row.amount_cents,
  reason: row.reason,
  code: row.code,
  givesBack: row.reversal_id,
  isHard: row.is_hard,
  occurredAt: row.occurred_at,
  reversedAt: row.reversed_at,
  createdAt: row.created_at,
});

/** The reversals of these payments, oldest first, with those that wait for their payment to complete. */
export async function reversalsOf(tx: Tx, transactions: readonly TransactionId[]): Promise<Reversal[]> {
  const rows = await tx.sql<ReversalsRow>`
    select * from reversals where organisation_id = ${tx.organisation} and transaction_id = any(${transactions}) order by id`;
  return rows.map(fromRow);
}

/** Inserts a reversal. The caller has locked its payment. */
export function insertReversal(tx: Tx, reversal: Reversal): void {
  tx.queue`
    insert into reversals (organisation_id, id, transaction_id, amount_cents, reason, code, is_hard, occurred_at, reversed_at, created_at,
      reversal_id)
    values (${tx.organisation}, ${reversal.id}, ${reversal.transactionId}, ${reversal.amount}, ${reversal.reason}, ${reversal.code},
      ${reversal.isHard}, ${reversal.occurredAt}, ${reversal.reversedAt}, ${reversal.createdAt}, ${reversal.givesBack})`;
}

/** Updates amount and time of a reversal that waited. The caller has locked its payment. */
export function updateReversal(tx: Tx, reversal: Reversal): void {
  tx.queue`
    update reversals set amount_cents = ${reversal.amount}, reversed_at = ${reversal.reversedAt}
     where organisation_id = ${tx.organisation} and id = ${reversal.id}`;
}

/** Stores the invoice for the amount that a bank reversed. The caller has locked the payment of the reversal. */
export function setDebitInvoice(tx: Tx, { id }: Pick<Reversal, "id">, invoice: InvoiceId): void {
  tx.queue`update reversals set debit_invoice_id = ${invoice} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Deletes a reversal that waited when nothing is left to take back. The caller has locked its payment. */
export function deleteReversal(tx: Tx, { id }: Reversal): void {
  tx.queue`delete from reversals where organisation_id = ${tx.organisation} and id = ${id}`;
}
