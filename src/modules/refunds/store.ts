// Writes: refunds. Reads nothing else.

import { joinPayment } from "../../domain/joins.ts";
import { locking } from "../../domain/locks.ts";
import type { Refund } from "../../domain/refunds.ts";
import type { RefundsRow } from "../../domain/rows.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { part, type Tx } from "../../platform/database.ts";

const fromRow = (row: RefundsRow): Refund => ({
  id: row.id,
  transactionId: row.transaction_id,
  refundNumber: row.refund_number,
  amount: row.amount_cents,
  currency: row.currency,
  method: row.method,
  madeElsewhere: row.made_elsewhere,
  withCreditNote: row.with_credit_note,
  status: row.status,
  reason: row.reason,
  providerRef: row.provider_ref,
  failure: row.failure,
  processedAt: row.processed_at,
  createdAt: row.created_at,
});

/** The refunds of these payments, oldest first, with failed ones. */
export async function refundsOf(tx: Tx, transactions: readonly TransactionId[]): Promise<Refund[]> {
  const rows = await tx.sql<RefundsRow>`
    select * from refunds where organisation_id = ${tx.organisation} and transaction_id = any(${transactions}) order by id`;
  return rows.map(fromRow);
}

/** By our id. */
export async function findRefund(tx: Tx, id: string): Promise<Refund | null> {
  const [row] = await tx.sql<RefundsRow>`
    select * from refunds where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** By the gateway's own id within a gateway account. Null when absent, and when two refunds have it. */
export async function findRefundByProviderRef(tx: Tx, accountId: string, providerRef: string): Promise<Refund | null> {
  const rows = await tx.sql<RefundsRow>`
    select r.* from refunds r
      ${joinPayment(tx, part`r.transaction_id`)}
     where r.organisation_id = ${tx.organisation} and r.provider_ref = ${providerRef} and t.gateway_account_id = ${accountId} limit 2`;
  return rows.length === 1 && rows[0] ? fromRow(rows[0]) : null;
}

/** Inserts a refund. */
export function insertRefund(tx: Tx, refund: Refund): void {
  tx.queue`
    insert into refunds (organisation_id, id, transaction_id, refund_number, amount_cents, currency, method,
                         made_elsewhere, with_credit_note, status, reason, provider_ref, failure, processed_at, created_at)
    values (${tx.organisation}, ${refund.id}, ${refund.transactionId}, ${refund.refundNumber}, ${refund.amount}, ${refund.currency},
      ${refund.method}, ${refund.madeElsewhere}, ${refund.withCreditNote}, ${refund.status}, ${refund.reason},
      ${refund.providerRef}, ${refund.failure}, ${refund.processedAt}, ${refund.createdAt})`;
}

/** Updates status, the gateway's id, failure and time. */
export function updateRefund(tx: Tx, refund: Refund): void {
  locking(tx, "refund").queue`
    update refunds set status = ${refund.status}, provider_ref = ${refund.providerRef}, failure = ${refund.failure},
      processed_at = ${refund.processedAt}
     where organisation_id = ${tx.organisation} and id = ${refund.id}`;
}
