// Writes: payment_starts. Reads: transactions.

import { locking } from "../../../domain/locks.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";

/**
 * Locks the organisation's payment starts until the transaction ends, so that starts under a monthly limit run one
 * after the other.
 */
export function lockPaymentStarts(tx: Tx, now: Instant): void {
  locking(tx, "payment starts").queue`
    insert into payment_starts (organisation_id, latest_at) values (${tx.organisation}, ${now})
    on conflict (organisation_id) do update set latest_at = excluded.latest_at`;
}

/**
 * Counts pending payments that were started since `since`, without transfers that the merchant requested, up to
 * `limit`.
 */
export async function countStartedSince(tx: Tx, since: Instant, limit: number): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (
      select from transactions where organisation_id = ${tx.organisation} and status = 'pending' and created_at > ${since}
         and (eft_order_id is null or payment_link_id is not null) limit ${limit}) counted`;
  return row?.count ?? 0;
}

/** Counts completed payments since `since`, up to `limit`. */
export async function countPaidSince(tx: Tx, since: Instant, limit: number): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (
      select from transactions where organisation_id = ${tx.organisation} and paid_at >= ${since} limit ${limit}) counted`;
  return row?.count ?? 0;
}
